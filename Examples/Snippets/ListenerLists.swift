// The lists of listeners that a library keeps, replaced by signals. Scripts/check-fixtures also runs this in
// Swift 5 mode.

import SignalObserver
import Synchronization

// snippet.place
final class Cache: Sendable {
  private let pages = Mutex<[String: String]>([:])

  func follow(_ settings: SignalArg<String>) {
    settings.connect(self, Cache.drop, .inline)
    settings.connect(on: .inline) { key in print("changed", key) }
  }

  private func drop(_ key: String) { pages.withLock { $0[key] = nil } }
}
// snippet.end

extension Cache {
  func add(_ key: String) { pages.withLock { $0[key] = key } }
  var keys: [String] { pages.withLock { $0.keys.sorted() } }
}

// snippet.token
/// Ends its connection when it is dropped.
final class Subscription: Sendable {
  private let observers: ObserverBag

  init(_ observer: SignalObserver) { observers = observer.scoped() }
  func cancel() { observers.cancelAll() }
}

final class Settings: Sendable {
  private let change = EmitterArg<String>()

  func onChange(
    _ body: @escaping @Sendable (String) -> Void
  ) -> Subscription {
    Subscription(change.signal.connect(on: .inline, body))
  }

  func set(_ key: String) { change.invoke(key) }
}
// snippet.end

final class Connection: Sendable {
  let failed = EmitterArg<any Error>()

  // snippet.count
  func fail(_ error: any Error) {
    if failed.invokeAndCount(error) == 0 { print("nobody handles", error) }
  }
  // snippet.end
}

extension Settings {
  var changed: SignalArg<String> { change.signal }

  // snippet.stream
  /// Finishes when the settings are gone.
  var changes: AsyncStream<String> { AsyncStream(change.signal.values) }
  // snippet.end
}

// snippet.value
final class Link: Sendable {
  enum State { case idle, open }

  private let state = EmitterValue(State.idle)

  /// Calls `body` with the current state, and with each later one.
  func onState(
    _ body: @escaping @Sendable (State) -> Void
  ) -> Subscription {
    let states = state.signal.removeDuplicates()
    return Subscription(states.connect(on: .inline, body))
  }
}
// snippet.end

extension Link {
  func set(_ new: State) { state.set(new) }
}

// snippet.keys
final class Store: Sendable {
  private let emitters = Mutex<[String: EmitterArg<Int>]>([:])

  func changed(_ key: String) -> SignalArg<Int> {
    emitters.withLock { emitters in
      let emitter = emitters[key] ?? EmitterArg()
      emitters[key] = emitter
      return emitter.signal
    }
  }

  func set(_ key: String, to number: Int) {
    // Emits after the lock, because inline slots run here.
    let emitter = emitters.withLock { $0[key] }
    emitter?.invoke(number)
  }
}
// snippet.end

// snippet.plain
/// A payload of one isolation domain.
struct Tick {}
@available(*, unavailable)
extension Tick: Sendable {}

final class Loop {
  @EmitterArg<Tick> private var ticked

  func onTick(_ body: @escaping () -> Void) {
    ticked.connect { _ in body() }
  }

  func tick() { _ticked.invoke(Tick()) }
}
// snippet.end

/// What slots have received.
final class Notes: Sendable {
  private let notes = Mutex<[String]>([])
  func note(_ text: String) { notes.withLock { $0.append(text) } }
  func take() -> [String] {
    notes.withLock { notes in
      defer { notes = [] }
      return notes
    }
  }
}

func checkPlaces() {
  let (settings, cache) = (Settings(), Cache())
  cache.follow(settings.changed)
  cache.add("a")
  cache.add("b")
  settings.set("a")
  precondition(cache.keys == ["b"])
}

func checkTokens(_ notes: Notes) {
  let settings = Settings()
  var subscription: Subscription? = settings.onChange { notes.note($0) }
  let other = settings.onChange { notes.note("other \($0)") }
  settings.set("a")
  withExtendedLifetime(subscription) {}
  subscription = nil
  settings.set("b")
  other.cancel()
  settings.set("c")
  precondition(notes.take() == ["a", "other a", "other b"])
}

func checkStreams() async {
  var settings: Settings? = Settings()
  let changes = settings?.changes
  settings?.set("a")
  settings = nil
  var keys: [String] = []
  if let changes { for await key in changes { keys.append(key) } }
  precondition(keys == ["a"])
}

func checkValues(_ notes: Notes) {
  let link = Link()
  let subscription = link.onState { notes.note("\($0)") }
  link.set(.idle)
  link.set(.open)
  withExtendedLifetime(subscription) {}
  precondition(notes.take() == ["idle", "open"])

  let line = EmitterArg<String>()
  let recent = line.signal.replay(1)
  line.invoke("a")
  line.invoke("b")
  recent.connect(on: .inline) { notes.note($0) }
  line.invoke("c")
  precondition(notes.take() == ["b", "c"])
}

func checkKeys(_ notes: Notes) {
  let store = Store()
  store.changed("a").connect(on: .inline) { notes.note("a \($0)") }
  store.set("a", to: 1)
  store.set("b", to: 2)
  precondition(notes.take() == ["a 1"])
}

func checkPlainClosures() {
  let loop = Loop()
  var count = 0
  loop.onTick { count += 1 }
  loop.tick()
  precondition(count == 1)
}

@main enum Program {
  static func main() async {
    let notes = Notes()
    checkPlaces()
    checkTokens(notes)
    await checkStreams()
    checkValues(notes)
    checkKeys(notes)
    checkPlainClosures()
    print("done")
  }
}
