// Where emitters can be declared.

import SignalObserver

// snippet.class
final class Player {
  @EmitterVoid var started
  @EmitterArg<Int> var scoreChanged
  @EmitterArg2<Int, String> var goalScored
  @EmitterArg<(id: Int, name: String, seconds: Double)> var substituted

  func start() { _started.invoke() }

  func goal(_ score: Int) {
    _scoreChanged.invoke(score)
    _goalScored.invoke(score, "north")
  }

  func substitute() { _substituted.invoke((id: 9, name: "Kim", seconds: 61.5)) }
}
// snippet.end

// snippet.sendable
final class Download: Sendable {
  private let progress = EmitterArg<Double>()
  var progressChanged: SignalArg<Double> { progress.signal }

  func receive(_ fraction: Double) { progress.invoke(fraction) }
}
// snippet.end

// snippet.actor
actor Store {
  // Everyone may connect, and only the actor can send.
  @EmitterArg<String> nonisolated var changed

  func rename(_ name: String) { _changed.invoke(name) }
}
// snippet.end

// snippet.main-actor
@MainActor final class Model {
  @EmitterArg<String> nonisolated var titleChanged

  func load() { _titleChanged.invoke("News") }
}
// snippet.end

// snippet.protocol
protocol Game {
  var scored: SignalArg2<Int, String> { get }
}

final class Match: Game {
  @EmitterArg2<Int, String> var scored

  func goal() { _scored.invoke(1, "north") }
}
// snippet.end

// snippet.protocol-value
protocol Titled {
  var titleValue: SignalValue<String> { get }
}

final class Page: Titled {
  @EmitterValue var title = ""
  var titleValue: SignalValue<String> { $title }
}
// snippet.end

final class Bench {
  func note(_ substitution: (id: Int, name: String, seconds: Double)) {}
}

let player = Player()
let bench = Bench()

// snippet.tuple
player.substituted.connect { change in print(change.id, change.name) }
player.substituted.connect(bench, Bench.note)  // its parameter is the tuple
// snippet.end
