/// The state of an operator for one connection.
///
/// An operator makes it in `attach`, so that connections do not share it. The slot owns it. Calls
/// of an inline slot may overlap, and user code must not run under a lock. The operator therefore
/// computes the new state outside the lock. If another thread has stored a state
/// meanwhile, the operator computes it again.
///
/// `@unchecked Sendable`: a state that is not `Sendable` stays in the isolation domain of its
/// source, which is not `Sendable` either. An operator that gave it to another domain would break
/// this.
@usableFromInline
final class ConnectionState<State>: @unchecked Sendable {
  @usableFromInline let state: Lock<(value: State, version: UInt64)>

  @inlinable
  init(_ state: State) {
    self.state = Lock((state, 0))
  }

  /// Returns the state and its version.
  @inlinable
  func load() -> (value: State, version: UInt64) {
    state.withLock { $0 }
  }

  /// Replaces the state if it still has the given version.
  @inlinable
  func store(_ next: State, over version: UInt64) -> Bool {
    // `next` takes the old state out of the lock, so that the old state is released afterwards.
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
