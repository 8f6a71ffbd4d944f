// Every way to connect a slot.

import Dispatch
import SignalObserver

final class Player {
  @EmitterArg<Int> var scoreChanged
  @EmitterVoid var stopped

  func goal() { _scoreChanged.invoke(1) }
}

final class Log: Sendable {
  func write(_ score: Int) {}
  func flush() {}
  func upload(_ score: Int) async {}
}

@MainActor final class Label {
  var text = ""

  func show(_ score: Int) { text = "\(score)" }
  func clear() { text = "" }
}

actor Statistics {
  var total = 0

  func add(_ score: Int) { total += score }
  func save(_ score: Int) async {}
}

let player = Player()
let log = Log()
let label = Label()
let statistics = Statistics()
let queue = DispatchQueue(label: "log")

// snippet.methods
player.scoreChanged.connect(label, Label.show)  // runs on the main actor
player.scoreChanged.connect(label, Label.clear)  // fits every signal
player.scoreChanged.connect(log, Log.upload)  // async: in order
player.scoreChanged.connect(statistics, Statistics.save)  // on the actor
// snippet.end

// snippet.queues
player.scoreChanged.connect(log, Log.write, queue)  // later, on the queue
player.scoreChanged.connect(log, Log.write, .inline)  // now, on this thread
// snippet.end

// snippet.closures
player.scoreChanged.connect { score in print(score) }
player.scoreChanged.connect { @MainActor score in label.show(score) }
player.scoreChanged.connect(label) { label, score in label.show(score) }
player.scoreChanged.connect(statistics) { actor, score in actor.add(score) }
player.scoreChanged.connect(on: queue) { score in log.write(score) }
player.scoreChanged.connect(log, on: queue) { log, score in log.write(score) }
// snippet.end

player.goal()
