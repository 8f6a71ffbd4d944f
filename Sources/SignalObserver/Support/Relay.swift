/// One slot that is fed by the slots of several connections, or later than they are called.
///
/// The slot is attached to a list of its own, whose observer is the handle of the whole. What it is
/// fed by are its *parts*: inline slots on the sources, which hold the relay.
///
///     source's list ──▶ part ──▶ Relay ──▶ list ──▶ slot ──▶ bag ──▶ observers of the parts
///                         └──▶ the slot's body, if it runs inline
///
/// Ending works by releasing, in both directions. When the connection ends, the slot lets go of the
/// bag, which cancels the parts. When the last part has ended with its emitter, nobody holds the
/// relay, and it finishes the list. When a part has ended because an emission found the target dead,
/// so does the connection.
@usableFromInline
final class Relay: Sendable {
  @usableFromInline let list = ConnectionList()
  @usableFromInline let observer: SignalObserver

  /// - Parameters:
  ///   - slot: What is called.
  ///   - token: Released when the connection ends.
  @usableFromInline
  init<Payload>(_ slot: SignalSlot<Payload>, holding token: some AnyObject & Sendable) {
    observer = list.attach(slot.holding(token).request)
  }

  deinit { list.finish() }

  /// Held by a part, to tell when it has ended.
  ///
  /// If that is because an emission found the target dead, the connection ends with it, and what is
  /// pending is released: to ask whether it has ended is to look at the target. If it is because the
  /// emitter died, what is pending is still to be sent.
  @usableFromInline
  var partEnd: Finally {
    Finally { [observer] in _ = observer.isCancelled }
  }

  /// Calls the slot with the payload at `payload`.
  @usableFromInline
  func send(_ payload: UnsafeRawPointer, _ cause: Cause) {
    unsafe list.emit(payload, from: currentIsolation(), because: cause)
  }

  /// What one part calls, with its target, to call `slot`, which is the slot of this relay.
  ///
  /// A slot that runs inline is called there and then: the part has found the same target alive, its
  /// emission holds the captures while they are used, and the handle's flags say whether a call is
  /// wanted. An emission of the relay's own would say the same at 200 instructions. Another slot
  /// has one mailbox, which is reached by way of the list.
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
  /// It has the same target, so that it is found to be dead with it. A description calls it by `name`, and
  /// names the slot behind it, which is the one in `list`.
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

/// The description of an operator and of the slot behind it, or of how many there are.
@usableFromInline
func describe(_ name: StaticString, _ list: ConnectionList) -> String {
  let slots = list.liveSlots { $0.lineOfDescription }
  return "\(name) → " + (slots.count == 1 ? slots[0] : "\(slots.count) slots")
}
