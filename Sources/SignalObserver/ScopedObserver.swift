/// A handle that cancels its connection when it is dropped.
///
/// ```swift
/// var whilePlaying: ScopedObserver? = player.scoreChanged.connect(label, Label.show).scoped()
/// whilePlaying = nil  // the label is no longer called
/// ```
///
/// Set the property to `nil`, and the connection ends, as by
/// ``SignalObserver/SignalObserver/cancel()``. For several connections that end together, use an
/// ``ObserverBag``.
///
/// > Important: Swift may drop a local variable after its last use. Keep a scoped observer in a
/// > property, or call `withExtendedLifetime` with it.
public final class ScopedObserver: Sendable {
  /// The handle of the connection.
  ///
  /// Use it to suspend or resume the connection, or to end it early.
  public let observer: SignalObserver

  fileprivate init(_ observer: SignalObserver) {
    self.observer = observer
  }

  deinit { observer.cancel() }
}

extension SignalObserver {
  /// Returns a handle that cancels this observer when it is dropped.
  ///
  /// Of several such handles of one connection, the first that is dropped ends it.
  ///
  /// - Returns: The handle, which holds this observer and nothing else.
  public func scoped() -> ScopedObserver {
    ScopedObserver(self)
  }
}
