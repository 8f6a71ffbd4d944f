public import Synchronization

/// Counts down to zero.
@usableFromInline
final class Quota: Sendable {
  @usableFromInline let left: Atomic<Int>

  @inlinable
  init(_ count: Int) { left = Atomic(count) }

  /// Takes one: returns how many are left after it, or nil if there was none.
  ///
  /// Acquiring and releasing, so that whoever takes the last one comes after what the others did
  /// before they took theirs. Below zero, it is only by as many as threads take at once, since they
  /// look before.
  @inlinable
  func take() -> Int? {
    if left.load(ordering: .relaxed) <= 0 { return nil }
    let now = left.wrappingAdd(-1, ordering: .acquiringAndReleasing).newValue
    return now < 0 ? nil : now
  }
}
