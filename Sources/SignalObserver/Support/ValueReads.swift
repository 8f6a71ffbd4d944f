import CSignalObserver

/// The values that a piece of code reads, to see whether they have changed since.
///
/// Observation registers what was read when the code has returned, and misses what changes between:
/// by the code itself, or by another thread. A change is counted before it is told of, so that of
/// what changes after ``areOutdated`` was asked, Observation tells.
@unsafe
struct ValueReads {
  /// Each value, with the count of its changes when it was first read.
  private var reads: [ObjectIdentifier: (value: ObservableValue, changes: Int)] = [:]

  /// Where the calling thread notes what it reads.
  ///
  /// Points into the stack of that thread, for as long as ``note(_:during:)`` lasts, and is followed
  /// by no other.
  static var current: UnsafeMutablePointer<ValueReads>? {
    unsafe signal_observer_get_reads()?.assumingMemoryBound(to: ValueReads.self)
  }

  /// Called before the value is read: what changes in between is a change.
  mutating func note(_ value: ObservableValue) {
    let key = ObjectIdentifier(value)
    if unsafe reads[key] == nil { unsafe reads[key] = (value, value.changes) }
  }

  /// Notes in `reads` what `body` reads.
  ///
  /// As in Observation, what code inside of other code reads is read by both.
  static func note<Result>(
    _ reads: UnsafeMutablePointer<ValueReads>, during body: () -> Result
  ) -> Result {
    let outer = unsafe current
    unsafe signal_observer_set_reads(reads)
    defer {
      unsafe signal_observer_set_reads(outer)
      unsafe outer?.pointee.reads.merge(reads.pointee.reads) { first, _ in first }
    }
    return body()
  }

  /// Whether a value has changed since it was read.
  var areOutdated: Bool { unsafe reads.values.contains { $0.value.changes != $0.changes } }
}
