import CSignalObserver

/// The values that a piece of code has read, and whether any of them has changed since.
///
/// Observation registers the reads when the code has returned. It misses earlier changes, by the
/// code itself or by another thread. ``areOutdated`` finds those. A value counts a change before it
/// tells Observation, so Observation reports every change that is made after ``areOutdated`` was
/// read.
struct ValueReads {
  /// Whether the reads count: not those of a getter that the library calls for itself.
  private let areTracked: Bool
  /// The innermost emission around the code.
  ///
  /// What slots of inner emissions read does not count for the code.
  private let emission = Emission.innermost
  /// Each value, with the count of its changes when it was first read.
  private var reads: [ObjectIdentifier: (value: ObservableValue, changes: Int)] = [:]
  /// The addresses of the values that were read first and last; zero before one is read.
  private var (first, last) = (0, 0)
  /// The address of the value that the code reads, but for what the getter of that value reads;
  /// zero if it reads none, or several.
  var only: Int { first == last ? last : 0 }

  init(areTracked: Bool = true) { self.areTracked = areTracked }

  /// The record in which the calling thread notes its reads.
  ///
  /// It points into the stack of that thread for as long as ``note(_:during:)`` lasts. No other
  /// thread uses the pointer.
  private static var current: OnStack<ValueReads>? {
    get { unsafe signal_observer_this_thread().pointee.reads.map { unsafe OnStack(address: $0) } }
    set { unsafe signal_observer_this_thread().pointee.reads = newValue?.address }
  }

  /// Notes a value before it is read, so that a change in between counts.
  ///
  /// Returns whether to tell Observation.
  static func note(_ value: ObservableValue) -> Bool {
    guard let record = current else { return true }
    guard record.pointee.emission == Emission.innermost else { return false }
    let key = ObjectIdentifier(value)
    record.pointee.last = Int(bitPattern: key)
    if record.pointee.first == 0 { record.pointee.first = record.pointee.last }
    guard record.pointee.areTracked else { return false }
    if record.pointee.reads[key] == nil { record.pointee.reads[key] = (value, value.changes) }
    return true
  }

  /// Notes the reads of `body` in `reads`.
  ///
  /// As in Observation, a read by nested code is a read by the outer code, too.
  static func note<Result>(_ reads: inout ValueReads, during body: () -> Result) -> Result {
    OnStack.of(&reads) { reads in
      let outer = current
      current = reads
      defer {
        current = outer
        if let outer, reads.pointee.areTracked, outer.pointee.areTracked {
          outer.pointee.reads.merge(reads.pointee.reads) { first, _ in first }
        }
      }
      return body()
    }
  }

  /// Whether a value has changed since it was read.
  var areOutdated: Bool { reads.values.contains { $0.value.changes != $0.changes } }
}
