/// One slot that the slots of several connections feed, either at once or later.
///
/// The relay attaches the slot to a list of its own. The observer of that connection is the handle
/// that the user gets. The slots that feed the relay are its *parts*: inline slots on the sources,
/// which hold the relay.
///
///     source's list ──▶ part ──▶ Relay ──▶ list ──▶ connection ──▶ slot
///                         └──▶ the slot's body, if it runs inline
///
/// Connections end in both directions. When the user's connection ends, it cancels the parts, also
/// during a call of the slot. When the last part has ended with its emitter, nobody holds the
/// relay, and its `deinit` finishes the list. When an emission finds the target dead, it ends a
/// part, and with it the connection.
@usableFromInline
final class Relay: Sendable {
  @usableFromInline let list = ConnectionList()
  /// The observers of the parts, which hold this.
  @usableFromInline let parts = ObserverBag()
  @usableFromInline let observer: SignalObserver
  /// The observer that the user gets: that of the last relay on the way to the slot.
  @usableFromInline let handle: SignalObserver

  /// `end` is called when the connection ends.
  @usableFromInline
  init<Payload>(_ slot: SignalSlot<Payload>, end: @escaping @Sendable () -> Void = {}) {
    let token = Finally { [parts] in
      parts.endAll()
      end()
    }
    observer = list.attach(slot.holding(token).request)
    handle = slot.request.origin.handle ?? observer
  }

  deinit { list.finish() }

  /// Whether no other relay is between this one and the slot.
  @usableFromInline var isLast: Bool { handle === observer }

  /// Adds the observer of a part.
  @usableFromInline
  func add(_ part: SignalObserver) {
    parts.insert(part)
    // It may have ended while its parts are being connected.
    if observer.isOver { parts.endAll() }
  }

  /// Looks at the target once the part that holds this has ended.
  ///
  /// If an emission has ended the part because the target is dead, this ends the connection, too,
  /// and so releases pending payloads. If the part has ended with its emitter, the target may be
  /// alive, and pending payloads are still sent. If this connection is confined, it ends in the
  /// domain of its signals alone, so the parts end there, too.
  @usableFromInline
  var partEnd: Finally {
    Finally { [observer] in observer.endIfDead() }
  }

  /// Calls the slot with the payload at `payload`.
  @usableFromInline
  func send(_ payload: UnsafeRawPointer, _ cause: Cause = .passing) {
    var cause = cause
    unsafe list.emit(payload, from: currentIsolation(), &cause)
  }

  /// Calls the slot with a payload that has waited, if the handle was active when it was emitted.
  ///
  /// If the handle was suspended, the payload is not sent to the slot later (guarantee 11). But
  /// while the handle still is, operators between here and the slot remember the payload.
  @inlinable
  func send<Payload>(
    late payload: Payload, _ cause: Cause, isOwn: Bool, wasActive: Bool = true
  ) {
    guard wasActive || !isLast && !handle.isActive else { return }
    cause.resume(isOwn) { cause in
      unsafe withUnsafePointer(to: payload) { unsafe send($0, cause) }
    }
  }

  /// The function that one part calls, with its target and its own connection, to call `slot`, the
  /// slot of this relay.
  ///
  /// A slot that runs inline is called directly. The part has found the same target alive, its
  /// emission holds the captures while they are used, and the flags of the handle say whether to
  /// call. An emission of the relay would find the same, for 200 instructions. For any other slot,
  /// the relay emits, which adds the payload to the slot's mailbox. It also emits to a slot that is
  /// confined. Such a slot may be cancelled elsewhere. The next emission then releases its closure,
  /// so the parts must not hold that. And it emits to a step, which holds the list of the emission
  /// while a payload waits.
  @usableFromInline
  func feed<Payload>(
    _ slot: SignalSlot<Payload>
  ) -> (__owned AnyObject?, SignalObserver, UnsafeRawPointer) -> Void {
    if case .inline = slot.request.place, !slot.request.hasInlineStep,
      case .sync(let call) = unsafe slot.request.body
    {
      return { target, _, payload in
        if self.observer.isActive {
          unsafe call(target, self.observer, payload)
        } else {
          self.observer.recordDrop()
        }
      }
    }
    return { _, _, payload in unsafe self.send(payload) }
  }
}

extension SlotRequest {
  /// Whether payloads may wait for a step, because another thread does it.
  @inlinable
  var hasInlineStep: Bool {
    if case .inline = place { origin.hasStep } else { false }
  }
}

extension SignalSlot {
  /// A slot that feeds this one by calling `body` inline.
  ///
  /// The part has the same target, so an emission to the part notices the death of the target. It
  /// is confined if this slot is. Its handle is that of `relay`. Its description consists of `name`
  /// and the slot in the list of `relay` behind it.
  @inlinable
  func part<Other>(
    _: Other.Type, _ name: String, of relay: Relay, isLater: Bool = false,
    _ body: @escaping (__owned AnyObject?, SignalObserver, UnsafeRawPointer) -> Void
  ) -> SignalSlot<Other> {
    let place = if case .confined = request.place { request.place } else { RequestedPlace.inline }
    var part = unsafe SignalSlot<Other>(
      target: request.target, place, .sync(body), request.origin.fileID, request.origin.line
    ).feeding(relay.list, isLater: isLater, handle: relay.handle, by: name)
    part.request.origin.mayDrop = isLater || request.origin.mayDrop
    part.request.held = relay.partEnd
    return part
  }
}

extension Worklist {
  /// A function that releases the pending items, for a relay whose connection has ended.
  @inlinable
  var drops: @Sendable () -> Void {
    // Weak: once the sources have ended, nothing holds this, and pending payloads do not either.
    // Items that are not `Sendable` belong to a connection that ends in their domain alone.
    nonisolated(unsafe) weak var list: Worklist?
    unsafe list = self
    return { unsafe list?.drop() }
  }
}
