// What the handle of a connection does.

import SignalObserver

final class Player {
  @EmitterArg<Int> var scoreChanged

  func goal(_ score: Int) { _scoreChanged.invoke(score) }
  // snippet.cancel-all
  func close() { _scoreChanged.cancelAllObservers() }
  // snippet.end
}

final class Label {
  func show(_ score: Int) { print(score) }
}

let player = Player()
let label = Label()

// snippet.observer
let observer = player.scoreChanged.connect(label, Label.show)
observer.suspend()
player.goal(1)  // dropped, not kept for later
observer.resume()
player.goal(2)  // 2
observer.cancel()
player.goal(3)  // nobody is called, now or later
// snippet.end

// snippet.scoped
final class Scoreboard {
  /// Cancels all of its observers when the scoreboard dies.
  private let observers = ObserverBag()
  /// Cancels one observer when it is replaced.
  private var current: ObserverBag?

  func follow(_ player: Player) {
    player.scoreChanged.connect { score in print(score) }.store(in: observers)
    let latest = player.scoreChanged.connect { score in print("now", score) }
    current = latest.scoped()
  }
}
// snippet.end

let scoreboard = Scoreboard()
scoreboard.follow(player)

// snippet.description
print(player.scoreChanged.debugDescription)
// Signal<Int>, 2 slots
//   closure, main, Observers/Observers.swift:39
//   closure, main, Observers/Observers.swift:40
// snippet.end

// snippet.target
player.scoreChanged.cancelObservers(of: label)  // label is no longer called
// snippet.end

// snippet.connected
let isShown = player.scoreChanged.isConnected(to: label)
// snippet.end

func endTogether() -> Any {
  // snippet.bag
  final class Scoreboard {
    private let observers = ObserverBag()

    func follow(_ player: Player) {
      player.scoreChanged.connect { score in print(score) }.store(in: observers)
    }
  }
  // snippet.end
  return Scoreboard()
}

// snippet.alone
var whilePlaying: ObserverBag? = player.scoreChanged.connect(label, Label.show).scoped()
whilePlaying = nil  // the label is no longer called
// snippet.end
