/// Lets a slot end its own connection, also before `attach` has returned the observer.
@usableFromInline
final class ConnectionEnd: Sendable {
  private let state = Lock((observer: SignalObserver?.none, isEnded: false))

  @usableFromInline
  init() {}

  /// Whether the connection has ended, or is to as soon as its observer is known.
  @usableFromInline
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Ends the connection, now or as soon as its observer is known.
  @usableFromInline
  func end() {
    let observer = state.withLock { state in
      state.isEnded = true
      return state.observer.take()
    }
    observer?.cancel()
  }

  /// Makes `observer` known.
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

/// Calls a function when it is released.
///
/// Captured by a slot, it tells that the connection has ended (guarantee 9).
@usableFromInline
final class Finally: Sendable {
  private let body: @Sendable () -> Void

  @usableFromInline
  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  @usableFromInline
  deinit { body() }
}
