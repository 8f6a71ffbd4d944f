/// Lets a slot end its own connection, even before `attach` has returned the observer.
@usableFromInline
final class ConnectionEnd: Sendable {
  private let state = Lock((observer: SignalObserver?.none, isEnded: false))

  @usableFromInline
  init() {}

  /// Whether the connection has ended, or will end as soon as its observer is known.
  @usableFromInline
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Ends the connection, at once or as soon as its observer is known.
  @usableFromInline
  func end() {
    let observer = state.withLock { state in
      state.isEnded = true
      return state.observer.take()
    }
    observer?.cancel()
  }

  /// Sets the observer of the connection, and cancels it if ``end()`` was called before.
  @usableFromInline
  func ends(_ observer: SignalObserver) -> SignalObserver {
    let isEnded = state.withLock { state in
      if !state.isEnded { state.observer = observer }
      return state.isEnded
    }
    if isEnded { observer.cancel() }
    return observer
  }
}
