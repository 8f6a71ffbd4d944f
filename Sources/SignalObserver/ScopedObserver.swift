/// A handle that cancels its connection when it is dropped.
///
/// ```swift
/// var whilePlaying: ScopedObserver? = player.scoreChanged.connect(label, Label.show).scoped()
/// whilePlaying = nil  // the label is no longer called
/// ```
///
/// > Important: Swift may drop a local variable after its last use. Keep a scoped observer in a
/// > property, or call `withExtendedLifetime` with it.
public final class ScopedObserver: Sendable {
  /// The handle of the connection, which can suspend it, resume it, or end it early.
  public let observer: SignalObserver

  fileprivate init(_ observer: SignalObserver) {
    self.observer = observer
  }

  deinit { observer.cancel() }
}

extension SignalObserver {
  /// Returns a handle that cancels this observer when it is dropped.
  public func scoped() -> ScopedObserver {
    ScopedObserver(self)
  }
}
