import CSignalObserver

/// One emission in progress, on the stack of the thread that makes it.
///
/// A thread's emissions form a chain from the innermost outwards. Two questions are asked of it:
/// what an outer emission of the same signal still owes to later slots, which an inner one delivers
/// first (guarantee 5), and whether a slot that has just been cancelled is being called further
/// out, which decides when its captures may go (guarantee 9).
///
/// Pointers into it are valid for the duration of the emission, which is the duration of the chain;
/// only the thread that owns the stack follows them.
@unsafe
struct Emission {
  /// The list of the signal that emits, for comparison only.
  let list: ObjectIdentifier
  let snapshot: SlotList.Snapshot
  /// Where the payload is while the emission lasts.
  let payload: UnsafeRawPointer
  /// The actor that the emission was made on, if the compiler knew one.
  let isolation: ObjectIdentifier?
  /// Whether the emission is on the main queue, once that has been asked.
  private var isOnMainQueue: Bool?
  /// The emission that this one was made from inside of.
  let outer: UnsafeMutablePointer<Emission>?
  /// The next slot of the snapshot to call.
  ///
  /// An inner emission moves it when it delivers what is owed.
  var next = 0
  /// The slot that this emission is delivering to: one of its own, or one that an outer emission
  /// owes.
  ///
  /// Each emission makes one call at a time, so the chain names every slot that this thread calls.
  var calling: ObjectIdentifier?
  /// Whether nothing further out on this thread owes anything to this signal.
  var isOuterSettled = false

  init(
    list: ObjectIdentifier, snapshot: SlotList.Snapshot, payload: UnsafeRawPointer,
    isolation: ObjectIdentifier?, outer: UnsafeMutablePointer<Emission>?
  ) {
    unsafe self.list = list
    unsafe self.snapshot = unsafe snapshot
    unsafe self.payload = unsafe payload
    unsafe self.isolation = isolation
    unsafe self.outer = unsafe outer
  }

  /// Whether the emission is on the main actor: known by the compiler if it is on any actor, and
  /// otherwise asked once for all slots.
  var isOnMain: Bool {
    mutating get {
      if let isolation = unsafe isolation { return isolation == MainQueue.actor }
      if let answer = unsafe isOnMainQueue { return answer }
      let answer = MainQueue.isCurrent
      unsafe isOnMainQueue = answer
      return answer
    }
  }

  func isOn(_ actor: @autoclosure () -> AnyObject?) -> Bool {
    guard let isolation = unsafe isolation, let actor = actor() else { return false }
    return isolation == ObjectIdentifier(actor)
  }

  static var current: UnsafeMutablePointer<Emission>? {
    @inline(__always) get {
      unsafe signal_observer_get_emission()?.assumingMemoryBound(to: Emission.self)
    }
    @inline(__always) set {
      unsafe signal_observer_set_emission(newValue)
    }
  }

  /// Whether the `count` emissions of `list` that are in progress are all this thread's own, and
  /// `isHolding` is true for none.
  static func canRelease(
    _ list: ObjectIdentifier, inProgress count: Int, isHolding: (Emission) -> Bool
  ) -> Bool {
    var remaining = count
    var emission = unsafe current
    while remaining > 0, let each = unsafe emission {
      if unsafe each.pointee.list == list {
        if unsafe isHolding(each.pointee) { return false }
        remaining -= 1
      }
      unsafe emission = each.pointee.outer
    }
    return remaining == 0
  }

  /// The outermost emission of the same signal on this thread that has slots left to call.
  func outermostOwing() -> UnsafeMutablePointer<Emission>? {
    var found: UnsafeMutablePointer<Emission>?
    var emission = unsafe outer
    while let each = unsafe emission {
      if unsafe each.pointee.list == list {
        if unsafe each.pointee.next < each.pointee.snapshot.count { unsafe found = each }
        if unsafe each.pointee.isOuterSettled { break }
      }
      unsafe emission = each.pointee.outer
    }
    return unsafe found
  }
}

/// The actor that the innermost emission on this thread was made on, if there is one and the compiler
/// knew.
@usableFromInline
func currentIsolation() -> ObjectIdentifier? { unsafe Emission.current?.pointee.isolation }

extension SlotList {
  /// Calls every live slot with the payload at `payload`, after what outer emissions of this signal
  /// on this thread still owe (guarantee 5).
  @usableFromInline
  func emit(_ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?) {
    unsafe enter(payload, isolation) { emission in
      if unsafe emission.pointee.snapshot.hasCompany { unsafe settle(before: emission) }
      unsafe emission.pointee.isOuterSettled = true
      unsafe run(emission, by: emission)
    }
  }

  /// Delivers the payload at `payload` to one slot of this list alone, if it is live.
  ///
  /// To the others this is no emission: what is owed to them stays owed.
  @usableFromInline
  func emit(_ payload: UnsafeRawPointer, to slot: Slot, from isolation: ObjectIdentifier?) {
    unsafe enter(payload, isolation) { emission in
      unsafe emission.pointee.next = emission.pointee.snapshot.count
      unsafe deliver(payload, to: slot, in: emission, by: emission)
    }
  }

  /// Calls `body` with an emission, which is on the stack and in the chain meanwhile; not at all if
  /// there is no slot.
  @inline(__always)
  private func enter(
    _ payload: UnsafeRawPointer, _ isolation: ObjectIdentifier?,
    _ body: (UnsafeMutablePointer<Emission>) -> Void
  ) {
    guard let snapshot = unsafe enter() else { return }
    let outer = unsafe Emission.current
    var emission = unsafe Emission(
      list: ObjectIdentifier(self), snapshot: snapshot, payload: payload, isolation: isolation,
      outer: outer)
    unsafe withUnsafeMutablePointer(to: &emission) { emission in
      unsafe Emission.current = emission
      unsafe body(emission)
      unsafe Emission.current = outer
    }
    unsafe leave(snapshot)
  }

  /// Calls the slots that outer emissions owe to this signal.
  ///
  /// Not inlined, since what it keeps on the stack would be there at every level of emissions.
  @inline(never)
  private func settle(before emission: UnsafeMutablePointer<Emission>) {
    while let owing = unsafe emission.pointee.outermostOwing() {
      unsafe run(owing, by: emission)
    }
  }

  /// Calls the slots that `emission` has not called yet; `caller` is itself, or the inner emission
  /// that makes up for it.
  ///
  /// Where the emission stands is in memory that a slot's own emissions find by the chain, so it is
  /// written before each call.
  private func run(
    _ emission: UnsafeMutablePointer<Emission>, by caller: UnsafeMutablePointer<Emission>
  ) {
    let payload = unsafe emission.pointee.payload
    let count = unsafe emission.pointee.snapshot.count
    while true {
      let index = unsafe emission.pointee.next
      guard index < count else { return }
      unsafe emission.pointee.next = index &+ 1
      guard let reference = unsafe emission.pointee.snapshot[index] else { continue }
      unsafe plainRead(UnsafeRawPointer(reference.toOpaque()), "a slot")
      unsafe reference._withUnsafeGuaranteedRef { slot in
        unsafe deliver(payload, to: slot, in: emission, by: caller)
      }
    }
  }

  @inline(__always)
  private func deliver(
    _ payload: UnsafeRawPointer, to slot: Slot, in emission: UnsafeMutablePointer<Emission>,
    by caller: UnsafeMutablePointer<Emission>
  ) {
    guard slot.observer.isActive else { return }
    // Keeps the slot, which may be removed meanwhile, until it has been delivered to.
    unsafe caller.pointee.calling = ObjectIdentifier(slot)
    unsafe slot.receive(payload, in: emission)
    unsafe caller.pointee.calling = nil
    if slot.observer.isEnded { release(slot) }
  }
}
