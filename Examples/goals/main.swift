// A first signal: a class announces an event, and others connect their methods to it.
//
//     swift run goals [--trace]

import SignalObserver
import SignalObserverTesting

/// Announces goals; nobody else can, since `_goalScored` is private.
final class Game {
  @EmitterArg2<String, Int> var goalScored
  private var goals: [String: Int] = [:]

  func score(_ team: String) {
    goals[team, default: 0] += 1
    _goalScored.invoke(team, goals[team, default: 0])
  }
}

final class Scoreboard {
  init(_ game: Game) { game.goalScored.connect(self, Scoreboard.show) }

  private func show(team: String, goals: Int) { print("\(team): \(goals)") }
}

/// Cheers for one team, until it dies and its connection ends.
final class Fan {
  private let team: String

  init(of team: String, _ game: Game) {
    self.team = team
    game.goalScored.connect(self, Fan.cheer)
  }

  private func cheer(scorer: String, goals: Int) {
    if scorer == team { print("Go, \(team)!") }
  }
}

let game = Game()
let board = Scoreboard(game)
var fan: Fan? = Fan(of: "North", game)

@MainActor func play() {
  game.score("North")
  game.score("South")
  fan = nil  // the connection ends with its target
  game.score("North")

  let observer = game.goalScored.connect { team, _ in print("(a goal for \(team))") }
  game.score("South")
  observer.cancel()
  game.score("South")
}

if CommandLine.arguments.contains("--trace") {
  let trace = SignalTrace(of: game) { play() }
  print(trace, trace.mermaid, separator: "\n\n")
} else {
  play()
}
