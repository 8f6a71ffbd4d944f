import Synchronization

/// What every slot of every peer calls: the same work for each.
///
/// A relaxed load and a relaxed store are what an ordinary variable costs, and two threads may do it.
package final class Counter: Sendable {
  private let sum = Atomic<Int>(0)

  package init() {}

  package var total: Int { sum.load(ordering: .relaxed) }

  @inline(never)
  package func add(_ number: Int) {
    sum.store(sum.load(ordering: .relaxed) &+ number, ordering: .relaxed)
  }
}

/// A peer with one kind of slot.
///
/// Each requirement is a loop inside the peer's own code, so that the
/// measurement does not pay for being generic.
package protocol Subject: AnyObject, Sendable {
  static var name: String { get }
  /// Whether its slots hold their target weakly.
  static var isWeak: Bool { get }
  /// Whether several threads may use it at once.
  static var isThreadSafe: Bool { get }

  init()

  /// Connects one slot for each target, and keeps what is needed to cancel them.
  func connect(_ targets: [Counter])
  /// Emits the number 1 so many times.
  func emit(_ times: Int)
  /// Cancels the connections at these places.
  func cancel(_ order: [Int])
  /// Connects and cancels one slot so many times.
  func churn(_ target: Counter, _ times: Int)
  /// Makes the peer's own signal, without a slot and without this wrapper.
  static func make() -> Any
  /// Makes and destroys so many without a slot.
  static func construct(_ times: Int)
}

extension Subject {
  package static var isThreadSafe: Bool { true }
}

/// Keeps the optimiser from leaving out what makes `object`: it must not look into this, nor reason about it.
@inline(never)
@_optimize(none)
func use(_ object: AnyObject) {}
