extension SignalSlot {
  /// Returns the same slot, but its connection holds `token` until it ends.
  ///
  /// ```swift
  /// let observer = output.signal.attach(slot.holding(inner.signal).holding(outer))
  /// ```
  ///
  /// Use this in an operator that makes connections of its own: pass their ``ObserverBag`` as
  /// the token. They then end with the connection of the slot ([guarantee 9](doc:Guarantees)).
  ///
  /// - Parameter token: The object to hold. It is released when the connection ends, even during a
  ///   call of the slot.
  /// - Returns: A slot with the same target and place.
  /// - Complexity: O(1) for each connection, and nothing for a delivery.
  @inlinable
  public func holding(_ token: some AnyObject & Sendable) -> SignalSlot<Payload> {
    uncheckedHolding(token)
  }

  /// The same as `holding`, for an object that is `Sendable` only if the payload is.
  @usableFromInline
  func uncheckedHolding(_ token: AnyObject) -> SignalSlot<Payload> {
    var slot = self
    slot.request.held = request.held.map { Both(token, $0) } ?? token
    return slot
  }
}

/// Two objects that one connection holds.
private final class Both {
  private let objects: (AnyObject, AnyObject)

  init(_ first: AnyObject, _ second: AnyObject) { objects = (first, second) }
}
