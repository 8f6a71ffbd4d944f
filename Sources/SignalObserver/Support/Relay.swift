/// One slot that the slots of several connections feed, at once or later.
///
/// The slot is attached to a list of its own. The observer of that connection is the handle of the
/// whole. The slots that feed it are its *parts*: inline slots on the sources, which hold the
/// relay.
///
///     source's list ──▶ part ──▶ Relay ──▶ list ──▶ slot ──▶ bag ──▶ observers of the parts
///                         └──▶ the slot's body, if it runs inline
///
/// Ending works by releasing, in both directions. When the connection ends, the slot lets go of the
/// bag, which cancels the parts. When the last part has ended with its emitter, nobody holds the
/// relay, and it finishes the list. When an emission finds the target dead, it ends a part, and
/// thereby the connection.
@usableFromInline
final class Relay: Sendable {
  @usableFromInline let list = ConnectionList()
  @usableFromInline let observer: SignalObserver

  /// - Parameters:
  ///   - slot: The slot that the parts feed.
  ///   - token: An object that is released when the connection ends.
  @usableFromInline
  init<Payload>(_ slot: SignalSlot<Payload>, holding token: some AnyObject & Sendable) {
    observer = list.attach(slot.holding(token).request)
  }

  deinit { list.finish() }

  /// An object for a part to hold, which notices the end of the part.
  ///
  /// If an emission has ended the part because the target is dead, the connection ends with the
  /// part, and releases pending payloads: a read of `isCancelled` looks at the target. If the part
  /// has ended with its emitter, pending payloads are still sent.
  @usableFromInline
  var partEnd: Finally {
    Finally { [observer] in _ = observer.isCancelled }
  }

  /// Calls the slot with the payload at `payload`.
  @usableFromInline
  func send(_ payload: UnsafeRawPointer, _ cause: Cause) {
    unsafe list.emit(payload, from: currentIsolation(), because: cause)
  }

  /// The function that one part calls, with its target, to call `slot`, the slot of this relay.
  ///
  /// A slot that runs inline is called directly. The part has found the same target alive, its
  /// emission holds the captures while they are used, and the flags of the handle say whether a
  /// call is wanted. An emission of the relay would find the same, at a cost of 200 instructions.
  /// Any other slot waits in its lane, to which an emission of the relay adds the payload.
  @usableFromInline
  func feed<Payload>(
    _ slot: SignalSlot<Payload>
  ) -> (__owned AnyObject?, UnsafeRawPointer) -> Void {
    let end = partEnd
    if slot.request.delivery.isInline, case .sync(let call) = unsafe slot.request.body {
      return { target, payload in
        if self.observer.isActive { unsafe call(target, payload) }
        holdUntilHere(end)
      }
    }
    return { _, payload in
      unsafe self.send(payload, .emission(0))
      holdUntilHere(end)
    }
  }
}

extension SignalSlot {
  /// A slot that feeds this one by calling `body` inline.
  ///
  /// It has the same target, so that its emission notices the death of the target. A description
  /// has `name`, and then the slot in `list`, which stands behind it.
  @inlinable
  func part<Other>(
    _: Other.Type, _ name: StaticString, of list: ConnectionList,
    _ body: @escaping (__owned AnyObject?, UnsafeRawPointer) -> Void
  ) -> SignalSlot<Other> {
    var part = unsafe SignalSlot<Other>(
      target: request.target, request.delivery.inline, .sync(body), request.fileID, request.line)
    part.request.label = { describe(name, list) }
    return part
  }
}

/// The name of an operator, and the slot behind it, or the number of slots if there is not one.
@usableFromInline
func describe(_ name: StaticString, _ list: ConnectionList) -> String {
  let slots = list.liveSlots { $0.lineOfDescription }
  return "\(name) → " + (slots.count == 1 ? slots[0] : "\(slots.count) slots")
}
