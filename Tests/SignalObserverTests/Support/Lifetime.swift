import Synchronization

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
