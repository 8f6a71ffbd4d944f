import CSignalObserver

/// The values that a piece of code has read, and whether any of them has changed since.
///
/// Observation registers the reads when the code has returned. It misses earlier changes, by the
/// code itself or by another thread. ``areOutdated`` finds those. A value counts a change before it
/// tells Observation, so Observation reports every change that is made after ``areOutdated`` was
/// read.
@unsafe
struct ValueReads {
  /// The code to which the reads belong.
  enum Reader {
    /// Code that is called again when a value changes.
    case tracked
    /// A getter that a set calls. Its reads do not count for anybody.
    case nobody
    /// The getter of a property that a binding sets. For each value that the getter has read, the
    /// first set then counts as a set by the binding.
    case binding(Cause, isSetting: Bool)
  }

  private var reader: Reader
  /// The emission whose slot the code is in.
  ///
  /// What slots of inner emissions read does not count for the code.
  private let emission = unsafe Emission.current
  /// Each value, with the count of its changes, or its version, when it was first read.
  private var reads: [ObjectIdentifier: (value: ObservableValue, changes: Int)] = [:]

  init(_ reader: Reader) { unsafe self.reader = reader }

  /// The record in which the calling thread notes its reads.
  ///
  /// It points into the stack of that thread for as long as ``note(_:during:)`` lasts. No other
  /// thread uses the pointer.
  private static var current: UnsafeMutablePointer<ValueReads>? {
    unsafe signal_observer_get_reads()?.assumingMemoryBound(to: ValueReads.self)
  }

  /// Notes a value before it is read, so that a change in between counts.
  ///
  /// Returns whether to tell Observation.
  static func note(_ value: ObservableValue) -> Bool {
    guard let record = unsafe current else { return true }
    switch unsafe record.pointee.reader {
    case .tracked where unsafe record.pointee.emission != Emission.current: return false
    case .nobody: return false
    case .binding(_, isSetting: true): return true
    case .tracked, .binding: break
    }
    let isTracked = if case .tracked = unsafe record.pointee.reader { true } else { false }
    let key = ObjectIdentifier(value)
    if unsafe record.pointee.reads[key] == nil {
      let changes = isTracked ? value.changes : unsafe Int(value.owner?.version ?? 0)
      unsafe record.pointee.reads[key] = (value, changes)
    }
    return isTracked
  }

  /// Takes the cause with which a binding sets `value`, if it does so through a property that reads
  /// the value.
  static func cause(of value: ObservableValue) -> Cause? {
    guard let record = unsafe current, unsafe record.pointee.emission == Emission.current,
      case .binding(let cause, isSetting: true) = unsafe record.pointee.reader,
      unsafe record.pointee.reads.removeValue(forKey: ObjectIdentifier(value)) != nil
    else { return nil }
    return cause
  }

  /// Gives back a cause that was taken for a set that was refused, for the next one.
  static func keep(_ value: ObservableValue) {
    unsafe current?.pointee.reads[ObjectIdentifier(value)] = (value, 0)
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
      if let outer = unsafe outer, case .tracked = unsafe reads.pointee.reader,
        case .tracked = unsafe outer.pointee.reader
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
    var reads = unsafe ValueReads(.nobody)
    return unsafe note(&reads, during: body)
  }

  /// Sets a property to a payload that a binding passes on, unless `areEqual` says that the
  /// property equals it.
  static func set<Object: AnyObject, Value>(
    _ property: ReferenceWritableKeyPath<Object, Value>, of object: Object, to value: Value,
    _ cause: Cause, _ areEqual: ((Value, Value) -> Bool)?
  ) {
    while true {
      var reads = unsafe ValueReads(.binding(cause, isSetting: false))
      let old = unsafe note(&reads) { object[keyPath: property] }
      guard let areEqual, areEqual(old, value) else {
        unsafe reads.reader = .binding(cause, isSetting: true)
        return unsafe note(&reads) { object[keyPath: property] = value }
      }
      let areSeen = unsafe reads.reads.values.allSatisfy { value, version in
        unsafe value.owner?.see(cause.stamp, at: UInt64(version)) != false
      }
      if areSeen { return }
    }
  }

  /// Whether a value has changed since it was read.
  var areOutdated: Bool { unsafe reads.values.contains { $0.value.changes != $0.changes } }
}
