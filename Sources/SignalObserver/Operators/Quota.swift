/// A number of payloads that may still be sent.
@usableFromInline
final class Quota: Sendable {
  @usableFromInline let left: Atomic

  @inlinable
  init(_ count: Int) { left = Atomic(count) }

  /// Takes one payload from the quota, and returns the number that is left; nil if none was left
  /// before.
  ///
  /// Relaxed: the number publishes no other memory, because emissions of two threads may call a
  /// slot at the same time. A thread reads the number before it lowers it, so the number falls
  /// below zero by at most the number of threads that lower it at once.
  @inlinable
  func take() -> Int? {
    if left.load(ordering: .relaxed) <= 0 { return nil }
    let now = left.wrappingAdd(-1, ordering: .relaxed).newValue
    return now < 0 ? nil : now
  }
}
