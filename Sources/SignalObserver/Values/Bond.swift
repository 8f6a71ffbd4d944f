extension EmitterValue where Value: Sendable {
  /// Sets `other` to this value, and then keeps both equal, whichever of them is set.
  ///
  /// ```swift
  /// first.bond(givingTo: second)  // both are "a", the value of `first`
  /// second.set("new")  // both are "new"
  /// ```
  ///
  /// Use a bond to copy in both directions, and `bind` to copy in one. ``bond(takingFrom:)`` is the
  /// same bond, and begins with the value of the other side.
  ///
  /// Each change sets the other side once, on the thread that delivers the change, unless both
  /// sides are equal already. If threads set both sides at the same time, both end on the same
  /// value, which is one of the two. While the observer is suspended, the bond copies nothing.
  /// Bonds may form rings. The bond holds neither value. It ends when one of them dies, or when its
  /// observer is cancelled.
  ///
  /// - Parameter other: The value to keep equal to this one.
  /// - Returns: The handle of both directions.
  /// - Complexity: O(1), amortised.
  @discardableResult
  public func bond(givingTo other: EmitterValue<Value>) -> SignalObserver {
    core.bond(to: other.core)
  }

  /// Sets this value to `other`, and then keeps both equal, whichever of them is set.
  ///
  /// Everything else is as for ``bond(givingTo:)``.
  ///
  /// - Parameter other: The value to keep equal to this one.
  /// - Returns: The handle of both directions.
  @discardableResult
  public func bond(takingFrom other: EmitterValue<Value>) -> SignalObserver {
    other.core.bond(to: core)
  }
}

extension ValueCore where Value: Sendable {
  /// Makes two bindings, one in each direction, with one handle.
  fileprivate func bond(to other: ValueCore) -> SignalObserver {
    Cause.beginStamps()
    let parts = ObserverBag()
    // The slot is never called. Its observer is the handle.
    let relay = Relay(SignalSlot<Void>(.inline, #fileID, #line) { _ in }, holding: parts)
    let areEqual = equality(of: Value.self)
    let stamp = Cause.nextStamp()
    for (source, target, version) in [(self, other, nil), (other, self, signal.version)] {
      // Each part holds such an object, because the death of one side ends both parts.
      let end = Finally { relay.observer.cancel() }
      // The other side is not the target. A dead target would end the bond before earlier sets of
      // this side are delivered (guarantee 10).
      let part = SignalSlot<ValueChange<Value>>(.inline, #fileID, #line) { [weak target] change in
        guard relay.observer.isActive, let target else { return }
        let cause = Cause.passing()
        // What this side has given, and still has, is equal to what returns, even if the two cannot
        // be compared.
        if let version, cause.stamp == stamp, target.signal.see(stamp, at: version) { return }
        target.pass(change.new, cause, areEqual)
      }.feeding(target.signal.list, of: SignalValue<Value>.self, by: "bond")
      parts.insert(source.signal.attachToChanges(part.holding(end)))
    }
    other.pass(signal.newest, .path(Path(signal.list), stamp), areEqual)
    return relay.observer
  }
}
