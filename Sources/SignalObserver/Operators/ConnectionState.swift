/// The state of an operator for one connection.
///
/// An operator makes it in `attach`, so that connections do not share it. The slot owns it. Calls
/// of an inline slot may overlap.
///
/// `@unchecked Sendable`: a state that is not `Sendable` stays in the isolation domain of its
/// source, which is not `Sendable` either. An operator that gave it to another domain would break
/// this.
@usableFromInline
final class ConnectionState<State>: @unchecked Sendable {
  @usableFromInline let state: Lock<State>

  @inlinable
  init(_ state: State) {
    self.state = Lock(state)
  }

  /// Replaces the state, and returns the old one.
  @inlinable
  func exchange(_ next: State) -> State {
    // `next` takes the old state out of the lock, so that the old state is released afterwards.
    var next = next
    state.withLock { swap(&$0, &next) }
    return next
  }
}
