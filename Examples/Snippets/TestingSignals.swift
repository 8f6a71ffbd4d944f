// Testing code that uses signals.

import Dispatch
import SignalObserver
// snippet.import
import SignalObserverTesting

// snippet.end

final class Player {
  @EmitterArg<Int> var scoreChanged

  func goal(_ points: Int) { _scoreChanged.invoke(points) }
}

final class Label {
  func show(_ points: Int) {}
}

func now() {
  let player = Player()
  // snippet.now
  let spy = SignalSpy(player.scoreChanged)
  player.goal(1)
  player.goal(2)
  assert(spy.take() == [1, 2])
  // snippet.end
}

func later() async throws {
  let player = Player()
  // snippet.later
  let spy = SignalSpy(player.scoreChanged, on: .main)
  player.goal(1)
  player.goal(2)
  let first = try await spy.next()
  let rest = try await spy.wait(for: 1, timeout: .seconds(1))
  assert(first == 1 && rest == [2])
  // snippet.end
}

func places() async throws {
  let player = Player()
  // snippet.places
  let spy = SignalSpy<Int>()
  player.scoreChanged.connect { @MainActor score in spy.record(score) }
  player.goal(1)
  try await spy.wait(for: 1)
  assert(spy.deliveries[0].place == .main)
  // snippet.end
}

func time() async {
  let player = Player()
  // snippet.clock
  let clock = ManualClock()
  let signal = player.scoreChanged
  async let score = signal.next(timeout: .seconds(60), clock: clock)
  await clock.waitForSleepers(1)
  clock.advance(by: .seconds(60))
  let none = await score
  assert(none == nil)
  // snippet.end
}

// snippet.inside
final class SearchBox {
  @EmitterValue var text = ""
  @EmitterArg<String> var searched

  init(clock: any Clock<Duration> = ContinuousClock()) {
    $text.debounce(for: .milliseconds(300), clock: clock).bind(to: _searched)
  }
}
// snippet.end

func inside() async throws {
  // snippet.insideTest
  let clock = ManualClock()
  let box = SearchBox(clock: clock)
  let spy = SignalSpy(box.searched)
  box.text = "s"
  box.text = "sw"
  await clock.waitForSleepers(1)
  clock.advance(by: .milliseconds(299))
  assert(clock.sleeperCount == 1 && spy.payloads.isEmpty)
  clock.advance(by: .milliseconds(1))
  let searched = try await spy.next()
  assert(searched == "sw")
  // snippet.end
}

func releaseOfTarget() {
  let player = Player()
  // snippet.releaseOfTarget
  let check = ReleaseCheck()
  do {
    let label = Label()
    check.watch(label, "label")
    player.scoreChanged.connect(label, Label.show)
    assert(check.alive == ["label"])
  }
  assert(check.alive == [])  // the connection did not keep its target
  // snippet.end
}

func release() {
  let player = Player()
  // snippet.release
  let check = ReleaseCheck()
  let signal = player.scoreChanged
  let observer = signal.connect { [capture = check.capture("closure")] _ in
    _ = capture
  }
  assert(check.alive == ["closure"])
  observer.cancel()
  assert(check.alive == [])
  // snippet.end
}
