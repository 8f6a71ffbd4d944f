/// What an operator remembers for one connection.
///
/// It is made in `attach`, so that connections do not share it, and lives in the slot. Inline slots
/// may be called by several threads at once, and user code may not be called under a lock: the new
/// state is computed outside, and again if another thread has stored one meanwhile.
///
/// `@unchecked Sendable`: guarded by the lock, and stays with a source that is not `Sendable`.
@usableFromInline
final class ConnectionState<State>: @unchecked Sendable {
  @usableFromInline let state: Lock<(value: State, version: UInt64)>

  @inlinable
  init(_ state: State) {
    self.state = Lock((state, 0))
  }

  /// Stores the state that `transition` returns, and returns its result.
  ///
  /// Returns nil, and stores nothing, if it returns nil.
  @inlinable
  func update<Result>(_ transition: (State) -> (State, Result)?) -> Result? {
    while true {
      let (value, version) = state.withLock { $0 }
      guard case (var next, let result)? = transition(value) else { return nil }
      let isStored = state.withLock { state in
        guard state.version == version else { return false }
        // What was stored leaves by way of `next`, and is released after the lock.
        swap(&state.value, &next)
        state.version += 1
        return true
      }
      if isStored { return result }
    }
  }
}
