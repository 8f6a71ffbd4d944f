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

// What the documentation of the connect forms shows besides.

@MainActor final class Board {
  func upload(_ score: Int) async {}
}

final class Loader {
  func load(_ score: Int) async {}
}

final class Archive: Sendable {
  @concurrent func write(_ score: Int) async {}
}

/// A global actor; public, because the compiler cannot build methods of an internal one.
@globalActor public actor Background {
  /// The one instance.
  public static let shared = Background()
}

@Background final class Index: Sendable {
  nonisolated init() {}
  func add(_ score: Int) {}
}

actor Store {
  func add(_ score: Int) {}
  func save(_ score: Int) async {}
}

/// Not `Sendable`, so the slots of `drawn` run inline.
final class Picture {}

final class Canvas {
  @EmitterArg<Picture> var drawn
}

final class Window {
  func show(_ picture: Picture) {}
}

final class Object {
  func show(_ score: Int) {}
}

let board = Board()
let loader = Loader()
let archive = Archive()
let index = Index()
let store = Store()
let object = Object()
let canvas = Canvas()
let window = Window()

// snippet.forms
player.scoreChanged.connect(board, Board.upload)  // @MainActor func upload(_: Int) async
player.scoreChanged.connect(loader, Loader.load)  // from code on the main actor: there
player.scoreChanged.connect(archive, Archive.write)  // @concurrent func write(_: Int) async
player.scoreChanged.connect(index, Index.add)  // @Background final class Index
player.scoreChanged.connect(store, Store.save)  // actor Store { func save(_: Int) async }
player.scoreChanged.connect(store) { store, score in store.add(score) }
player.scoreChanged.connect(store) { store, score in await store.save(score) }
player.scoreChanged.connect { score in await store.save(score) }
player.scoreChanged.connect(board) { board, score in await board.upload(score) }
player.scoreChanged.connect(on: queue) { score in log.write(score) }
player.scoreChanged.connect(on: .inline) { score in log.write(score) }
player.scoreChanged.connect(keeping: object.show)  // keeps object
canvas.drawn.connect(window, Window.show)  // class Picture is not Sendable
// snippet.end

player.goal()

// snippet.owned
final class Tally {
  private var total = 0

  func follow(
    _ scored: SignalArg<Int>,
    isolation: isolated (any Actor)? = #isolation
  ) {
    scored.connect(self, Tally.add)
  }

  private func add(_ score: Int) { total += score }
}

actor Match {
  private let tally = Tally()

  // The slot runs on this actor.
  func follow(_ scored: SignalArg<Int>) { tally.follow(scored) }
}
// snippet.end

await Match().follow(player.scoreChanged)
player.goal()
