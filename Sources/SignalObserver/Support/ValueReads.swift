import CSignalObserver

/// The values that a piece of code has read, and whether any of them has changed since.
///
/// Observation registers the reads when the code has returned. It misses earlier changes, by the
/// code itself or by another thread. ``areOutdated`` finds those. A value counts a change before it
/// tells Observation, so Observation reports every change that is made after ``areOutdated`` was
/// read.
@unsafe
struct ValueReads {
  /// Whether the reads count: not those of a getter that the library calls for itself.
  private let areTracked: Bool
  /// The innermost emission around the code.
  ///
  /// What slots of inner emissions read does not count for the code.
  private let emission = unsafe Emission.innermost
  /// Each value, with the count of its changes when it was first read.
  private var reads: [ObjectIdentifier: (value: ObservableValue, changes: Int)] = [:]
  /// The address of the value that was read last; zero if there is none.
  private(set) var last = 0

  init(areTracked: Bool = true) { unsafe self.areTracked = areTracked }

  /// The record in which the calling thread notes its reads.
  ///
  /// It points into the stack of that thread for as long as ``note(_:during:)`` lasts. No other
  /// thread uses the pointer.
  private static var current: UnsafeMutablePointer<ValueReads>? {
    unsafe signal_observer_this_thread().pointee.reads?.assumingMemoryBound(to: ValueReads.self)
  }

  /// Notes a value before it is read, so that a change in between counts.
  ///
  /// Returns whether to tell Observation.
  static func note(_ value: ObservableValue) -> Bool {
    guard let record = unsafe current else { return true }
    guard unsafe record.pointee.emission == Emission.innermost else { return false }
    let key = ObjectIdentifier(value)
    unsafe record.pointee.last = Int(bitPattern: key)
    guard unsafe record.pointee.areTracked else { return false }
    if unsafe record.pointee.reads[key] == nil {
      unsafe record.pointee.reads[key] = (value, value.changes)
    }
    return true
  }

  /// Notes the reads of `body` in `reads`.
  ///
  /// As in Observation, a read by nested code is a read by the outer code, too.
  static func note<Result>(
    _ reads: UnsafeMutablePointer<ValueReads>, during body: () -> Result
  ) -> Result {
    let outer = unsafe current
    unsafe signal_observer_this_thread().pointee.reads = UnsafeMutableRawPointer(reads)
    defer {
      unsafe signal_observer_this_thread().pointee.reads = UnsafeMutableRawPointer(outer)
      if let outer = unsafe outer, unsafe reads.pointee.areTracked, unsafe outer.pointee.areTracked
      {
        unsafe outer.pointee.reads.merge(reads.pointee.reads) { first, _ in first }
      }
    }
    return body()
  }

  /// Calls a getter for the library.
  ///
  /// What it reads does not count for the caller.
  static func ignore<Result>(_ body: () -> Result) -> Result {
    var reads = unsafe ValueReads(areTracked: false)
    return unsafe note(&reads, during: body)
  }

  /// Whether a value has changed since it was read.
  var areOutdated: Bool { unsafe reads.values.contains { $0.value.changes != $0.changes } }
}
