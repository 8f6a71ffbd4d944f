/// Which value a bond begins with.
public enum BondStart: Sendable {
  /// The one on which `bond` is called.
  case mine
  /// The other one.
  case theirs
}

extension EmitterValue where Value: Sendable {
  /// Keeps two values the same, from now on, whichever of them is set.
  ///
  /// Each change sets the other side once. If threads set both at once, both end on the same value,
  /// which is one of the two. Bonds may form rings. Neither value is kept alive: the bond ends with
  /// the first that dies, or with the observer.
  ///
  /// - Parameters:
  ///   - other: The value to be kept the same as this one.
  ///   - start: The value that both have at first; the other side is set to it at once.
  /// - Returns: The handle of both directions.
  @discardableResult
  public func bond(with other: EmitterValue<Value>, taking start: BondStart) -> SignalObserver {
    let bond = Bond(core, other.core)
    let parts = ObserverBag()
    // A slot that is never called, whose observer is the handle.
    let relay = Relay(SignalSlot<Void>(.inline, #fileID, #line) { _ in }, holding: parts)
    for (side, core) in [(BondStart.mine, core), (.theirs, other.core)] {
      // One for each part, since the death of one side ends both.
      let end = Finally { relay.observer.cancel() }
      let part = SignalSlot<ValueChange<Value>>(.inline, #fileID, #line) { change in
        holdUntilHere(end)
        if relay.observer.isActive { bond.copy(side, change.origin) }
      }
      parts.insert(core.signal.attachToChanges(part))
    }
    bond.copy(start, nil)
    return relay.observer
  }
}

/// Copies the newest value from one side to the other.
///
/// Both directions take turns. What is copied is read when the turn has come, so that after the last
/// copy both sides are the same, whichever threads set them meanwhile.
///
/// `@unchecked Sendable`: the weak references are never written after `init`. They are weak because each
/// value holds the bond by the slot that it calls.
private final class Bond<Value: Sendable>: @unchecked Sendable {
  private weak var mine: ValueCore<Value>?
  private weak var theirs: ValueCore<Value>?
  private let turns = Worklist<Void, (side: BondStart, origin: Origin?)>(())

  init(_ mine: ValueCore<Value>, _ theirs: ValueCore<Value>) {
    self.mine = mine
    self.theirs = theirs
  }

  /// Copies from `side`, unless `origin` says that this bond has had to do with its change.
  func copy(_ side: BondStart, _ origin: Origin?) {
    let identity = ObjectIdentifier(self)
    if let origin, origin.contains(identity) { return }
    let isolation = currentIsolation()
    turns.add({ _ in (side, origin) }) { turn in
      guard let mine, let theirs else { return }
      let (source, target) = turn.side == .mine ? (mine, theirs) : (theirs, mine)
      target.set(
        source.signal.unobserved, from: isolation,
        origin: Origin(bond: identity, before: turn.origin))
    }
  }
}

/// The bonds by which a value was set, one after the other.
@usableFromInline
final class Origin: Sendable {
  private let bond: ObjectIdentifier
  private let before: Origin?

  init(bond: ObjectIdentifier, before: Origin?) {
    self.bond = bond
    self.before = before
  }

  func contains(_ other: ObjectIdentifier) -> Bool {
    bond == other || before?.contains(other) == true
  }
}
