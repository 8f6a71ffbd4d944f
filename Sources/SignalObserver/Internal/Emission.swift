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
  /// The payload, as the type that the signal of `list` has.
  let payload: UnsafeRawPointer
  /// The actor that the emission was made on, if the compiler knew one.
  let isolation: ObjectIdentifier?
  /// The emission that this one was made from inside of.
  let outer: UnsafeMutablePointer<Emission>?
  /// The next slot of the snapshot to call.
  ///
  /// An inner emission moves it when it delivers what is owed.
  var next = 0
  /// The slot whose call this emission is making: one of its own, or one that an outer emission
  /// owes.
  ///
  /// Each emission makes one call at a time, so the chain names every slot that this thread calls.
  var calling: ObjectIdentifier?
  /// Whether nothing further out on this thread owes anything to this signal.
  var isOuterSettled = false

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
