import SignalObserver
import Synchronization
import Testing

/// What happened, in order, whichever threads it happened on.
final class Trace<Entry: Sendable>: Sendable {
  private let state = Mutex<[Entry]>([])

  var entries: [Entry] { state.withLock { $0 } }

  func add(_ entry: Entry) { state.withLock { $0.append(entry) } }

  /// The entries, once there are at least `count`.
  func entries(
    _ count: Int, _ location: SourceLocation = #_sourceLocation
  ) async -> [Entry] {
    await until("\(count) entries, and there are \(entries)", location) { entries.count >= count }
    return entries
  }
}

/// What happened, in words.
typealias Log = Trace<String>

extension SignalSource where Payload: Sendable {
  /// Connects an inline slot that records what it is given.
  func traced() -> (Trace<Payload>, SignalObserver) {
    let trace = Trace<Payload>()
    return (trace, connect(on: .inline) { trace.add($0) })
  }
}

/// A place for a value that is known only after the closure that needs it was made.
final class Box<Value: Sendable>: Sendable {
  private let storage: Mutex<Value?>

  init(_ value: Value? = nil) { storage = Mutex(value) }

  var value: Value? {
    get { storage.withLock { $0 } }
    set {
      // The old value is released after the lock, because its `deinit` may use this box.
      let old = storage.withLock { value in
        let old = value
        value = newValue
        return old
      }
      withExtendedLifetime(old) {}
    }
  }
}

/// Counts from any thread.
final class Calls: Sendable {
  private let calls = Atomic<Int>(0)

  var count: Int { calls.load(ordering: .acquiring) }

  func add() { calls.add(1, ordering: .acquiringAndReleasing) }
}

/// An object that says when it is released: for captures, payloads and targets.
final class Lifetime: Sendable {
  private let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void = {}) {
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// Does nothing; a closure that calls it captures the object.
  func use() {}
}

/// Counts how many of the objects that it made are alive.
final class Census: Sendable {
  private let count = Atomic<Int>(0)

  var alive: Int { count.load(ordering: .acquiring) }

  func member() -> Lifetime {
    count.add(1, ordering: .relaxed)
    return Lifetime { self.count.subtract(1, ordering: .releasing) }
  }
}

/// A payload that is not `Sendable`.
final class Note {
  let text: String

  init(_ text: String) { self.text = text }
}

/// Numbers that look random, and are the same in every run.
struct Numbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) | (state << 31)
  }
}

/// An object with methods of each shape, which writes what it is called with to a log.
final class Target: Sendable {
  let name: String
  let log: Log

  init(_ name: String, _ log: Log) {
    self.name = name
    self.log = log
  }

  func called() { log.add(name) }
  func show(_ value: Int) { log.add("\(name) \(value)") }
  func showBoth(_ value: Int, _ text: String) { log.add("\(name) \(value) \(text)") }
  func showText(_ text: String) { log.add("\(name) \(text)") }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test in an optimised program only.
  ///
  /// Elsewhere, what a method is called through, and what generic code copies, is on the heap: the
  /// optimiser sees that it need not be.
  static var optimised: Self {
    #if DEBUG
      let isOptimised = false
    #else
      let isOptimised = true
    #endif
    return .enabled(if: isOptimised, "the check of optimised tests runs this one")
  }
}
