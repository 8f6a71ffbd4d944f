/// Holds `value` until here.
///
/// A value that was taken out under a lock is thereby released after the lock, because its release
/// may run anybody's `deinit` (guarantee 7). A value that a closure captures is thereby held for as
/// long as the closure.
@inlinable
@inline(__always)
func holdUntilHere<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

extension SignalSlot {
  /// Returns the same slot, which holds `token` until its connection has ended.
  ///
  /// An operator that makes connections of its own holds them in this way, as an ``ObserverBag`` or
  /// a ``ScopedObserver``. They then end with the connection of the slot.
  ///
  /// - Parameter token: The object to hold. It is released when the connection ends, at once or
  ///   when the call in progress returns.
  /// - Returns: A slot with the same target and delivery.
  @inlinable
  public func holding(_ token: some AnyObject & Sendable) -> SignalSlot<Payload> {
    uncheckedHolding(token)
  }

  /// `holding` for an object that is `Sendable` only if the payload is.
  @inlinable
  func uncheckedHolding<Token: AnyObject>(_ token: Token) -> SignalSlot<Payload> {
    // This is safe: the slot only holds the token, which any thread may do.
    nonisolated(unsafe) let token = token
    switch unsafe request.body {
    case .sync(let call):
      return unsafe SignalSlot(
        self,
        .sync { target, payload in
          unsafe call(target, payload)
          unsafe holdUntilHere(token)
        })
    case .async(let call):
      return unsafe SignalSlot(
        self,
        .async { target, payload in
          unsafe await call(target, payload)
          unsafe holdUntilHere(token)
        })
    }
  }
}
