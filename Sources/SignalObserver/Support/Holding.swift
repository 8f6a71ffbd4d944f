/// Holds `value` until here.
///
/// Said of what was taken out under a lock, which is so released after it: the release may run
/// anybody's `deinit` (guarantee 7). Said of what a closure captures, it is held for as long as the
/// closure.
@inlinable
@inline(__always)
func holdUntilHere<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

extension SignalSlot {
  /// Returns the same slot, which holds `token` until its connection has ended.
  ///
  /// Operators that make connections of their own hold those so, as an ``ObserverBag`` or a
  /// ``ScopedObserver``: they end with the slot's.
  ///
  /// - Parameter token: Is released when the connection ends, at once or when the call in progress
  ///   returns.
  /// - Returns: A slot with the same target and delivery.
  @inlinable
  public func holding(_ token: some AnyObject & Sendable) -> SignalSlot<Payload> {
    uncheckedHolding(token)
  }

  /// What `holding` does, with an object that is `Sendable` only if the payload is.
  @inlinable
  func uncheckedHolding<Token: AnyObject>(_ token: Token) -> SignalSlot<Payload> {
    // Held and not used, so it does not matter where that is.
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
