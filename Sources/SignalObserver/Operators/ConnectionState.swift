/// The state of an operator for one connection.
///
/// It is made in `attach`, so that connections do not share it, and it lives in the slot. Several threads
/// may call an inline slot at once, and user code must not run under a lock. The new state is therefore
/// computed outside the lock, and again if another thread has stored one meanwhile.
///
/// `@unchecked Sendable`: the lock guards the state. If the state is not `Sendable`, neither is the
/// source, so it stays in one isolation domain.
@usableFromInline
final class ConnectionState<State>: @unchecked Sendable {
  @usableFromInline let state: Lock<(value: State, version: UInt64)>

  @inlinable
  init(_ state: State) {
    self.state = Lock((state, 0))
  }

  /// The state, with its version.
  @inlinable
  func load() -> (value: State, version: UInt64) {
    state.withLock { $0 }
  }

  /// Replaces the state, if it still has the given version.
  @inlinable
  func store(_ next: State, over version: UInt64) -> Bool {
    // `next` takes the old state out of the lock, so that it is released afterwards.
    var next = next
    return state.withLock { state in
      guard state.version == version else { return false }
      swap(&state.value, &next)
      state.version &+= 1
      return true
    }
  }

  /// Replaces the state, and returns the old one.
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
