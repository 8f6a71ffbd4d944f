import CSignalObserver

/// The values that a piece of code has read, and whether any of them has changed since.
///
/// Observation registers the reads when the code has returned. It misses changes in between, by the
/// code itself or by another thread. A value counts a change before it tells Observation, so
/// Observation reports every change that comes after a look at ``areOutdated``.
@unsafe
struct ValueReads {
  /// Each value, with the count of its changes when it was first read.
  private var reads: [ObjectIdentifier: (value: ObservableValue, changes: Int)] = [:]

  /// The record in which the calling thread notes its reads.
  ///
  /// It points into the stack of that thread for as long as ``note(_:during:)`` lasts. No other
  /// thread uses the pointer.
  static var current: UnsafeMutablePointer<ValueReads>? {
    unsafe signal_observer_get_reads()?.assumingMemoryBound(to: ValueReads.self)
  }

  /// Notes a value before it is read, so that a change between the two counts.
  mutating func note(_ value: ObservableValue) {
    let key = ObjectIdentifier(value)
    if unsafe reads[key] == nil { unsafe reads[key] = (value, value.changes) }
  }

  /// Notes the reads of `body` in `reads`.
  ///
  /// As in Observation, a read by nested code is a read by the outer code, too.
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
