extension EmitterValue where Value: Sendable {
  /// Keeps two values the same, from now on, whichever of them is set; the other one is set to this one
  /// first.
  ///
  /// Each change sets the other side once. If threads set both at once, both end on the same value,
  /// which is one of the two. Bonds may form rings. Neither value is kept alive: the bond ends with
  /// the first that dies, or with the observer.
  ///
  /// - Parameter other: The value to be kept the same as this one.
  /// - Returns: The handle of both directions.
  @discardableResult
  public func bond(givingTo other: EmitterValue<Value>) -> SignalObserver {
    Bond.make(core, other.core)
  }

  /// Keeps two values the same, from now on, whichever of them is set; this one is set to the other one
  /// first.
  ///
  /// Otherwise as ``bond(givingTo:)``.
  @discardableResult
  public func bond(takingFrom other: EmitterValue<Value>) -> SignalObserver {
    Bond.make(other.core, core)
  }
}

/// Copies the newest value from one side to the other, if it is newer there.
///
/// What is copied is read when it is, and compared by the stamps of the changes, so that after the last
/// copy both sides are the same, whichever threads set them meanwhile.
///
/// `@unchecked Sendable`: the weak references are never written after `init`. They are weak because each
/// value holds the bond by the slot that it calls.
private final class Bond<Value: Sendable>: @unchecked Sendable {
  private weak var source: ValueCore<Value>?
  private weak var target: ValueCore<Value>?

  private init(from source: ValueCore<Value>, to target: ValueCore<Value>) {
    self.source = source
    self.target = target
  }

  static func make(_ first: ValueCore<Value>, _ second: ValueCore<Value>) -> SignalObserver {
    Cause.beginStamps()
    let parts = ObserverBag()
    // A slot that is never called, whose observer is the handle.
    let relay = Relay(SignalSlot<Void>(.inline, #fileID, #line) { _ in }, holding: parts)
    let directions = [Bond(from: first, to: second), Bond(from: second, to: first)]
    for (direction, core) in zip(directions, [first, second]) {
      // One for each part, since the death of one side ends both.
      let end = Finally { relay.observer.cancel() }
      let part = SignalSlot<ValueChange<Value>>(.inline, #fileID, #line) { _ in
        if relay.observer.isActive { direction.copy(ifNewer: true) }
      }
      parts.insert(core.signal.attachToChanges(part.holding(end)))
    }
    directions[0].copy(ifNewer: false)
    return relay.observer
  }

  func copy(ifNewer: Bool) {
    guard let source, let target else { return }
    let (value, stamp) = source.signal.newest
    // Passed on by an emission, if there is one.
    target.set(value, from: currentIsolation(), cause: .emission(stamp), ifNewer: ifNewer)
  }
}
