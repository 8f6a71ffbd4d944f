/// What others connect to: the half of an ``Emitter`` that cannot send.
///
/// A signal calls its slots in the order in which they were connected (guarantee 1). It is
/// `Sendable` if its payload is. A signal of a payload that is not `Sendable` stays in the
/// isolation domain where it was made, and its slots run inline.
///
/// Slots are connected with the `connect` and `map` forms of ``SignalSource``.
public final class Signal<Payload> {
  let list = SlotList()

  init() {}

  /// The number of connections that have not ended; suspended ones count.
  ///
  /// - Complexity: O(*n*) in the number of slots, since each one's target is looked at.
  public var slotCount: Int {
    var count = 0
    list.forEach { slot in
      slot.endIfTargetIsGone()
      if !slot.observer.isEnded { count += 1 }
    }
    return count
  }
}

/// What is shared is the list, which guards itself; payloads are not stored.
extension Signal: Sendable where Payload: Sendable {}

extension Signal: SignalSource {
  /// Adds a slot behind the others.
  ///
  /// The connect forms call this; write an operator to call it yourself.
  ///
  /// On a signal whose emitter is gone, the returned observer is cancelled from the start.
  ///
  /// - Complexity: O(1), amortised.
  public func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let observer = SignalObserver(list)
    if !list.append(Slot(slot, observer)) { observer.cancel() }
    return observer
  }
}

// MARK: - Emission

extension Signal {
  /// Calls every live slot with `payload`, those of outer emissions of this signal on this thread
  /// first (guarantee 5).
  func emit(_ payload: Payload, from isolation: ObjectIdentifier?) {
    guard let snapshot = unsafe list.enter() else { return }
    unsafe withUnsafePointer(to: payload) { payload in
      let outer = unsafe Emission.current
      var emission = unsafe Emission(
        list: ObjectIdentifier(list), snapshot: snapshot, payload: UnsafeRawPointer(payload),
        isolation: isolation, outer: outer)
      unsafe withUnsafeMutablePointer(to: &emission) { emission in
        unsafe Emission.current = emission
        if unsafe snapshot.hasCompany {
          while let owing = unsafe emission.pointee.outermostOwing() {
            unsafe run(owing, by: emission)
          }
        }
        unsafe emission.pointee.isOuterSettled = true
        unsafe run(emission, by: emission)
        unsafe Emission.current = outer
      }
    }
    unsafe list.leave(snapshot)
  }

  /// Calls the slots that `emission` has not called yet; `caller` is itself, or the inner emission
  /// that makes up for it.
  ///
  /// Where the emission stands is in memory that a slot's own emissions find by the chain, so it is
  /// written before each call.
  private func run(
    _ emission: UnsafeMutablePointer<Emission>, by caller: UnsafeMutablePointer<Emission>
  ) {
    // The payload is of this signal's type, since the emission is of its list.
    let payload = unsafe emission.pointee.payload.assumingMemoryBound(to: Payload.self)
    while true {
      let index = unsafe emission.pointee.next
      guard unsafe index < emission.pointee.snapshot.count else { return }
      unsafe emission.pointee.next = index &+ 1
      guard let reference = unsafe emission.pointee.snapshot[index] else { continue }
      unsafe reference._withUnsafeGuaranteedRef { slot in
        // Only slots of this payload are appended to this signal's list.
        let slot = unsafe unsafeDowncast(slot, to: Slot<Payload>.self)
        guard slot.observer.isActive else { return }
        // Keeps the slot, which may be removed during the call, until the call has returned.
        unsafe caller.pointee.calling = ObjectIdentifier(slot)
        unsafe slot.receive(payload.pointee, from: emission.pointee.isolation)
        unsafe caller.pointee.calling = nil
        if slot.observer.isEnded { list.release(slot) }
      }
    }
  }
}
