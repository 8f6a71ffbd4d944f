public import Synchronization

/// A count of payloads, which goes down to zero.
@usableFromInline
final class Quota: Sendable {
  @usableFromInline let left: Atomic<Int>

  @inlinable
  init(_ count: Int) { left = Atomic(count) }

  /// Takes one, and returns the number that is left, or nil if there was none.
  ///
  /// Relaxed: the number publishes no other memory, because emissions of two threads may call a
  /// slot at the same time. A thread looks before it takes one, so the count falls below zero by at
  /// most the number of threads that take one at once.
  @inlinable
  func take() -> Int? {
    if left.load(ordering: .relaxed) <= 0 { return nil }
    let now = left.wrappingAdd(-1, ordering: .relaxed).newValue
    return now < 0 ? nil : now
  }
}
