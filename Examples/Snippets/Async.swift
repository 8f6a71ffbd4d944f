// Signals and asynchronous code.

import Dispatch
import SignalObserver

final class Player: Sendable {
  private let score = EmitterArg<Int>()
  private let stopping = EmitterVoid()

  var scoreChanged: Signal<Int> { score.signal }
  var willStop: SignalVoid { stopping.signal }

  func goal(_ points: Int) { score.invoke(points) }

  // snippet.wait
  func stop() async {
    await stopping.invokeAndWait()
    print("stopped")  // each slot that saves has saved
  }
  // snippet.end

  // snippet.feed
  func follow(_ scores: AsyncStream<Int>) -> SignalObserver {
    score.invoke(forEach: scores)  // until it ends, or the observer is cancelled
  }
  // snippet.end
}

func consume(_ player: Player) async {
  // snippet.loop
  for await score in player.scoreChanged.values {
    print(score)
  }
  // snippet.end
}

final class Settings: Sendable {
  private let flag = EmitterArg<Bool>()

  var flagChanged: Signal<Bool> { flag.signal }
}

@MainActor final class Panel {
  var flag = false

  func follow(_ settings: Settings) {
    // snippet.owner
    let flags = settings.flagChanged.values(for: self)
    Task { [weak self] in
      for await flag in flags { self?.flag = flag }
    }
    // snippet.end
  }
}

func consumeTwice(_ player: Player) {
  // snippet.consumers
  let shown = player.scoreChanged.values
  let logged = player.scoreChanged.values
  player.goal(1)  // no loop runs yet, and none misses it
  Task { for await score in shown { print("now", score) } }
  Task { for await score in logged { print("log", score) } }
  // snippet.end
}

func consumeUntilCancelled(_ player: Player) {
  // snippet.cancel
  let scores = player.scoreChanged.values
  Task { for await score in scores { print(score) } }
  scores.cancel()  // the loop ends
  // snippet.end
}

func consumeSlowly(_ player: Player) async {
  // snippet.buffering
  let scores = player.scoreChanged.values(buffering: .newest(1))
  for await score in scores {
    print(score, "after", scores.droppedCount, "that were dropped")
  }
  // snippet.end
}

func waitForOne(_ player: Player) async {
  // snippet.next
  let score = await player.scoreChanged.next { player.goal(1) }
  let later = await player.scoreChanged.next()
  let soon = await player.scoreChanged.next(timeout: .seconds(2))
  let high = await player.scoreChanged.filter { $0 > 100 }.next()
  // snippet.end
  print(score ?? 0, later ?? 0, soon ?? 0, high ?? 0)
}
