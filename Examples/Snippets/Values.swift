// Values: what connects to them gets the current one first.

import SignalObserver

// snippet.value
final class Model {
  @EmitterValue var title: String? = nil
  // Everyone may connect, and only Model can set.
  @EmitterValue private(set) var count = 0

  // One step: no other thread sets the value in between.
  func add(_ number: Int) { _count.modify { $0 += number } }
}
// snippet.end

final class Label: @unchecked Sendable {
  var text: String? = nil

  func show(_ text: String?) { self.text = text }
  func changed(from old: String?, to new: String?) { print(old ?? "-", new ?? "-") }
}

let model = Model()
let label = Label()

// snippet.connect
model.$title.connect(label, Label.show)  // the current title first
model.$title.changes.connect(label, Label.changed)  // old and new, from now on
model.title = "News"
// snippet.end

// snippet.sendable
final class Download: Sendable {
  private let progress = EmitterValue(0.0)
  var progressValue: SignalValue<Double> { progress.signal }

  func receive(_ fraction: Double) { progress.set(fraction) }
}
// snippet.end

// snippet.actor
actor Store {
  private let kept = EmitterValue(0)
  // Everyone may read and connect.
  nonisolated var count: SignalValue<Int> { kept.signal }

  func add(_ number: Int) { kept.modify { $0 += number } }
  func reset() { if kept.value > 0 { kept.set(0) } }
}
// snippet.end

/// The top-level code uses it on one thread; one that others use has a lock.
final class Settings: @unchecked Sendable {
  var name = "Kim"
}
let settings = Settings()

// snippet.custom
let name = EmitterValue(get: { settings.name }, set: { settings.name = $0 })
name.set("Lee")  // calls the setter, then sends the getter's result
settings.name = "Sam"
name.invoke()  // sends "Sam", which the emitter has not seen
// snippet.end

// snippet.replay
let scored = EmitterArg<Int>()
let recent = scored.signal.replay(3)
scored.invoke(1)
recent.connect(on: .inline) { score in print(score) }  // 1, then every new one
// snippet.end

func receiveEarly(_ socket: Socket, _ handler: Handler) {
  // snippet.replayOnce
  let early = socket.received.replayOnce(.oldest(1000))
  early.connect(handler, Handler.take)  // what came before, and then every new one
  // snippet.end
}

final class Socket: Sendable {
  private let data = EmitterArg<[UInt8]>()

  var received: Signal<[UInt8]> { data.signal }
}

final class Handler: Sendable {
  func take(_ data: [UInt8]) { print(data.count) }
}

// snippet.storedReplay
actor Match {
  private let scoring = EmitterArg<Int>()
  nonisolated let recentScores: any SignalSource<Int> & Sendable

  init() { recentScores = scoring.signal.replay(3) }
}
// snippet.end

let field = EmitterValue<String?>(nil)

// snippet.bind
model.$title.bind(to: \.text, of: label)  // held weakly
model.$title.bind(to: field)
model.$count.map { "\($0)" }.bind(to: \.text, of: label)
// snippet.end

// snippet.derived
final class Player {
  @EmitterValue var health = 3
  @EmitterValue private(set) var isAlive = true

  init() { $health.map { $0 > 0 }.bind(to: _isAlive) }
}
// snippet.end

let first = EmitterValue("a")
let second = EmitterValue("b")

// snippet.bond
first.bond(givingTo: second)  // both are "a", the value of `first`
second.set("new")  // both are "new"
// snippet.end

// snippet.conversion
let celsius = EmitterValue(20.0)
let fahrenheit = EmitterValue(68.0)
celsius.signal.map { $0 * 9 / 5 + 32 }.bind(to: fahrenheit)
fahrenheit.signal.map { ($0 - 32) * 5 / 9 }.bind(to: celsius)
celsius.set(100)  // fahrenheit is 212
fahrenheit.set(32)  // celsius is 0
// snippet.end

// snippet.bondOfTwo
final class Field {
  @EmitterValue private(set) var text = ""

  func bondText(with other: EmitterValue<String>) {
    _text.bond(takingFrom: other)
  }
}

final class Article {
  @EmitterValue private(set) var title = "News"

  func edit(in field: Field) { field.bondText(with: _title) }
}
// snippet.end

// snippet.isolated
@MainActor final class Preferences {
  var name = "Kim"
}

@MainActor final class PreferencesPage {
  let name: EmitterValue<String>

  init(_ preferences: Preferences) {
    name = EmitterValue(
      get: { preferences.name }, set: { preferences.name = $0 })
  }
}
// snippet.end
