import Synchronization

/// Counts from any thread.
final class Calls: Sendable {
  private let calls = Atomic<Int>(0)

  var count: Int { calls.load(ordering: .acquiring) }

  func add() { calls.add(1, ordering: .acquiringAndReleasing) }
}
