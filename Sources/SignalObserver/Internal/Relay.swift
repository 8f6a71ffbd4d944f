/// One slot that is fed by the slots of several connections, or later than they are called.
///
/// The slot is attached to a list of its own, whose observer is the handle of the whole. What it is
/// fed by are its *parts*: inline slots on the sources, which hold the relay.
///
///     source's list ──▶ part ──▶ Relay ──▶ list ──▶ slot ──▶ bag ──▶ observers of the parts
///
/// Ending works by releasing, in both directions. When the connection ends, the slot lets go of the
/// bag, which cancels the parts. When the last part has ended with its emitter, nobody holds the
/// relay, and it finishes the list.
///
/// `@unchecked Sendable`: constant; payloads that are not `Sendable` stay with their source.
final class Relay<Payload>: @unchecked Sendable {
  private let list = SlotList()
  let observer: SignalObserver

  /// - Parameters:
  ///   - slot: What is called.
  ///   - token: Released when the connection ends.
  init(_ slot: SignalSlot<Payload>, holding token: some AnyObject & Sendable) {
    observer = list.attach(slot.followed { withExtendedLifetime(token) {} }.request)
  }

  deinit { list.finish() }

  /// Calls the slot, as a part of the emission that calls this, if there is one.
  func send(_ payload: Payload) {
    let isolation = unsafe Emission.current?.pointee.isolation
    unsafe withUnsafePointer(to: payload) { unsafe list.emit($0, from: isolation) }
  }
}

extension SignalSlot {
  /// A slot that feeds this one by calling `body` inline.
  ///
  /// It has the same target, so that it is found to be dead with it.
  func part<Other>(_ body: @escaping (Other) -> Void) -> SignalSlot<Other> {
    unsafe SignalSlot<Other>(
      target: request.target, .inline,
      .sync { _, payload in unsafe body(payload.assumingMemoryBound(to: Other.self).pointee) },
      request.fileID, request.line)
  }
}
