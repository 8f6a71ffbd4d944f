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

  /// The state, with the version to be replaced.
  @inlinable
  func load() -> (value: State, version: UInt64) {
    state.withLock { $0 }
  }

  /// Replaces the state, if its version is still this one.
  @inlinable
  func store(_ next: State, over version: UInt64) -> Bool {
    // What was stored leaves by way of `next`, and is released after the lock.
    var next = next
    return state.withLock { state in
      guard state.version == version else { return false }
      swap(&state.value, &next)
      state.version &+= 1
      return true
    }
  }

  /// Replaces the state, and returns the one before.
  @inlinable
  func exchange(_ next: State) -> State {
    var next = next
    state.withLock { state in
      swap(&state.value, &next)
      state.version &+= 1
    }
    return next
  }
}
