extension EmitterValue where Value: Sendable {
  /// Sets `other` to this value, and then keeps both equal, whichever of them is set.
  ///
  /// ```swift
  /// first.bond(givingTo: second)  // both are "a", the value of `first`
  /// second.set("new")  // both are "new"
  /// ```
  ///
  /// Use a bond to copy in both directions, and `bind` to copy in one.
  /// ``bond(takingFrom:fileID:line:)`` is the same bond, and begins with the value of the other
  /// side.
  ///
  /// After each change of a side, the bond copies the current value of that side to the other one,
  /// one copy at a time, until both are equal. It does so on the thread that delivers the change,
  /// or on one that is copying. So the sides end equal, whichever threads set them, and also if a
  /// setter rounds. A side may skip values that were replaced before their turn. Sides that cannot
  /// be compared are copied once for each change. While the observer is suspended, the bond copies
  /// nothing. After `resume()`, it copies the next set of either side, and an `invoke()` counts as
  /// a set. Bonds may form rings. The bond holds neither value. It ends when one of them dies, or
  /// when its observer is cancelled.
  ///
  /// To bond to another value instead, end the old bond first: while both last, all three values
  /// are kept equal. If a property holds the observer, or its bag, set the property to `nil` before
  /// you make the new bond.
  ///
  /// - Parameters:
  ///   - other: The value to keep equal to this one.
  ///   - fileID: The file of the caller, for the debug descriptions of both values.
  ///   - line: The line of the caller, for the debug descriptions of both values.
  /// - Returns: The handle of both directions.
  /// - Complexity: O(1), amortised.
  @inlinable @discardableResult
  public func bond(
    givingTo other: EmitterValue<Value>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    core.bond(to: other.core, fileID, line)
  }

  /// Sets this value to `other`, and then keeps both equal, whichever of them is set.
  ///
  /// Everything else is as for ``bond(givingTo:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - other: The value to keep equal to this one.
  ///   - fileID: The file of the caller, for the debug descriptions of both values.
  ///   - line: The line of the caller, for the debug descriptions of both values.
  /// - Returns: The handle of both directions.
  @inlinable @discardableResult
  public func bond(
    takingFrom other: EmitterValue<Value>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    other.core.bond(to: core, fileID, line)
  }
}

extension ValueCore where Value: Sendable {
  @inlinable
  func bond(to other: ValueCore, _ fileID: StaticString, _ line: UInt32) -> SignalObserver {
    // The slot is never called. Its observer is the handle.
    let relay = Relay(SignalSlot<Void>(.inline, fileID, line) { _ in })
    let bond = Bond(self, other, relay.observer)
    for side in 0...1 {
      // Each part holds such an object, because the death of one side ends both parts.
      let end = Finally { relay.observer.cancel() }
      // The other side is not the target. A dead target would end the bond before earlier sets of
      // this side are delivered (guarantee 10).
      let part = SignalSlot<ValueChange<Value>>(.inline, fileID, line) { _ in
        if relay.observer.isActive { bond.copy(side) }
      }.feeding((side == 0 ? other : self).signal.list, of: SignalValue<Value>.self, by: "bond")
      relay.add(
        (side == 0 ? self : other).signal.attach(
          part.holding(end).request, getsCurrent: false, keepsOld: false))
    }
    bond.copy(0, isFirst: true)
    return relay.observer
  }
}

/// Copies one of two values to the other when that one was set, one copy at a time.
///
/// Threads may set both sides at once. Two copies at once could exchange the values, for ever.
@usableFromInline
final class Bond<Value: Sendable>: Worker, Sendable {
  /// The version of each side that the other one has; the largest number if it has none.
  @usableFromInline let worklist = Worklist<[UInt64], Turn>([.max, .max])
  // Weak, because a bond keeps no emitter alive. Safe, and in no need of a check of exclusivity:
  // never written after `init` (some compilers refuse `weak let`), and loading is atomic. In a
  // structure, each load would copy the reference.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) weak var first: ValueCore<Value>?
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) weak var second: ValueCore<Value>?
  @usableFromInline let observer: SignalObserver
  @usableFromInline let areEqual = equality(of: Value.self)

  @inlinable
  init(_ first: ValueCore<Value>, _ second: ValueCore<Value>, _ observer: SignalObserver) {
    unsafe self.first = first
    unsafe self.second = second
    self.observer = observer
  }

  @inlinable
  func core(_ side: Int) -> ValueCore<Value>? { unsafe side == 0 ? first : second }

  /// A side to copy, its version in whose emission the thread is, the version of the other side
  /// that it passes on, and the cause of passing that on.
  ///
  /// The first turn copies in any case: the other side may have been set before the bond saw it.
  @usableFromInline typealias Turn = (
    side: Int, emitted: UInt64?, returned: UInt64?, cause: Cause, isFirst: Bool
  )

  /// Copies the value of a side, which was set.
  @inlinable
  func copy(_ side: Int, isFirst: Bool = false) {
    guard let source = core(side), let target = core(1 - side) else { return }
    let emitted = Cause.version(of: source.signal.list)
    let returned =
      Cause.returns(to: target.signal.list)
      ? Cause.version(of: target.signal.list) ?? target.signal.worklist.read { $0.version } : nil
    let turn: Turn = (side, emitted, returned, Cause.binding, isFirst)
    let isolation = currentIsolation()
    add(from: isolation) { _, _ in
      true
    } item: {
      turn
    } now: {
      copy(source, to: target, turn, isOwn: true, from: isolation)
    }
    // A slot may drop the emitters.
    holdUntilHere((source, target))
  }

  @inlinable
  func work(_ turn: Turn, isOwn: Bool, from isolation: ObjectIdentifier?) {
    guard let source = core(turn.side), let target = core(1 - turn.side) else { return }
    copy(source, to: target, turn, isOwn: isOwn, from: isolation)
    holdUntilHere((source, target))
  }

  /// Does a turn, unless the other side has what it would copy.
  @inlinable
  func copy(
    _ source: ValueCore<Value>, to target: ValueCore<Value>, _ turn: Turn, isOwn: Bool,
    from isolation: ObjectIdentifier?
  ) {
    guard observer.isActive else { return }
    let side = turn.side
    // Until the copy is stored, what this thread asks to copy waits: code that compares, gets,
    // sets, or is told may set the sides.
    worklist.isClosed = true
    defer { worklist.isClosed = false }
    let version = source.signal.worklist.read { $0.version }
    // A newer change has an emission of its own, which asks for a turn.
    if !turn.isFirst, let emitted = turn.emitted, emitted != version { return }
    let value = source.signal.newest
    // NaN equals nothing, not even itself.
    let isComparable = areEqual?(value, value) == true
    // A setter may have changed what the bond gave.
    let mayDiffer = source.signal.custom != nil && isComparable
    let isEcho = worklist.state.withLock { state in
      defer { state.model[side] = version }
      return state.model[side] == version
    }
    if isEcho, !mayDiffer, !turn.isFirst { return }
    let isEmitted = turn.emitted == version
    let isSame =
      isComparable
      ? areEqual?(target.signal.present, value) == true
      : isEmitted && turn.returned == target.signal.worklist.read { $0.version }
    if isSame { return }
    turn.cause.resume(isOwn) { cause in
      // An outdated emission passes nothing on, but the first turn copies in any case.
      let isPassedOn = isEmitted && cause.passedOn > 0 && !(turn.isFirst && Cause.isStale)
      target.signal.store(value, from: isolation, isPassedOn: isPassedOn) { given in
        worklist.state.withLock { $0.model[1 - side] = given }
        worklist.isClosed = false
      }
    }
  }
}
