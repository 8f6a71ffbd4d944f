extension SignalSlot {
  /// Returns the same slot, but its connection holds `token` until it ends.
  ///
  /// ```swift
  /// let (inner, outer) = (ObserverBag(), ObserverBag())
  /// let observer = output.signal.attach(slot.holding(inner).holding(outer))
  /// ```
  ///
  /// Use this in an operator that makes connections of its own: pass their ``ObserverBag`` as
  /// the token. They then end with the connection of the slot ([guarantee 9](doc:Guarantees)).
  ///
  /// - Parameter token: The object to hold. When the connection ends, it is released at once, or
  ///   when the call in progress returns.
  /// - Returns: A slot with the same target and place.
  /// - Complexity: O(1) for each connection, and nothing for a delivery.
  @inlinable
  public func holding(_ token: some AnyObject & Sendable) -> SignalSlot<Payload> {
    uncheckedHolding(token)
  }

  /// The same as `holding`, for an object that is `Sendable` only if the payload is.
  @inlinable
  func uncheckedHolding<Token: AnyObject>(_ token: Token) -> SignalSlot<Payload> {
    // A token that is not `Sendable` belongs to a connection whose payload is not, either. Only the
    // domain of its signal releases it.
    nonisolated(unsafe) let token = token
    switch unsafe request.body {
    case .sync(let call):
      return unsafe SignalSlot(
        self,
        .sync { target, connection, payload in
          unsafe call(target, connection, payload)
          unsafe holdUntilHere(token)
        })
    case .async(let makeCall):
      return unsafe SignalSlot(
        self,
        .async { target, connection, payload in
          let call = unsafe makeCall(target, connection, payload)
          unsafe holdUntilHere(token)
          return call
        })
    }
  }
}
