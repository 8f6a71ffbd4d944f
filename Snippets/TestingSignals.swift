// Testing code that uses signals.

import Dispatch
import SignalObserver
// snippet.import
import SignalObserverTesting

// snippet.end

final class Player: Sendable {
  private let score = EmitterArg<Int>()

  var scoreChanged: Signal<Int> { score.signal }

  func goal(_ points: Int) { score.invoke(points) }
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
  async let score = player.scoreChanged.next(timeout: .seconds(60), clock: clock)
  await clock.waitForSleepers(1)
  clock.advance(by: .seconds(60))
  let none = await score
  assert(none == nil)
  // snippet.end
}

func release() {
  let player = Player()
  // snippet.release
  let check = ReleaseCheck()
  let observer = player.scoreChanged.connect { [capture = check.capture("closure")] _ in
    _ = capture
  }
  assert(check.alive == ["closure"])
  observer.cancel()
  assert(check.alive == [])
  // snippet.end
}
