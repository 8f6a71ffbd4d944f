extension EmitterValue where Value: Sendable {
  /// Sets `other` to this value, and keeps both the same, whichever of them is set.
  ///
  /// Each change sets the other side once, on the thread that delivers the change. If threads set
  /// both sides at once, both end on the same value, which is one of the two. While the observer is
  /// suspended, changes are not copied. Bonds may form rings. The bond holds neither value. It ends
  /// with the first value that dies, or with the observer.
  ///
  /// - Parameter other: The value to keep the same as this one.
  /// - Returns: The handle of both directions.
  @discardableResult
  public func bond(givingTo other: EmitterValue<Value>) -> SignalObserver {
    Bond.make(core, other.core)
  }

  /// Sets this value to `other`, and keeps both the same, whichever of them is set.
  ///
  /// Everything else is as for ``bond(givingTo:)``.
  ///
  /// - Parameter other: The value to keep the same as this one.
  /// - Returns: The handle of both directions.
  @discardableResult
  public func bond(takingFrom other: EmitterValue<Value>) -> SignalObserver {
    Bond.make(other.core, core)
  }
}

/// Copies the newest value from one side to the other, if it is newer than the value there.
///
/// Each copy reads the newest value, and compares the stamps of the changes. After the last copy
/// both sides are therefore the same, whichever threads set them meanwhile.
///
/// `@unchecked Sendable`: the weak references are never written after `init`, and loading them is
/// atomic. They are weak because each value holds the bond by the slot that it calls.
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
    // The slot is never called. Its observer is the handle.
    let relay = Relay(SignalSlot<Void>(.inline, #fileID, #line) { _ in }, holding: parts)
    let directions = [Bond(from: first, to: second), Bond(from: second, to: first)]
    for (index, core) in [first, second].enumerated() {
      let (direction, back) = (directions[index], directions[1 - index])
      // Each part holds one, because the death of one side ends both parts.
      let end = Finally { relay.observer.cancel() }
      let part = SignalSlot<ValueChange<Value>>(.inline, #fileID, #line) { _ in
        if relay.observer.isActive {
          direction.copy(ifNewer: true)
          // A binding may have set this side to a change that is older than the other side's.
          back.copy(ifNewer: true)
        }
      }
      parts.insert(core.signal.attachToChanges(part.holding(end)))
    }
    directions[0].copy(ifNewer: false)
    return relay.observer
  }

  func copy(ifNewer: Bool) {
    // The source is not held meanwhile: a slot of the target may drop it.
    guard let (value, stamp) = source?.signal.newest, let target else { return }
    // If an emission is in progress, the copy passes it on.
    target.set(value, from: currentIsolation(), cause: .emission(stamp), ifNewer: ifNewer)
  }
}
