import CSignalObserver

/// The reason for an emission of a list: the program sends, or a binding or an operator passes on
/// an emission of another list.
///
/// An emission by the program begins a chain, which ends where a binding would close it to a cycle.
/// Each change of a value has a number, its *stamp*, which rises from one change to the next and is
/// passed on with the change. If an older change has overtaken a newer one, the newer one may pass
/// once more, so that all values end on the newest. Changes are not counted, and all stamps are
/// zero, until there is a binding.
@usableFromInline
enum Cause: Sendable {
  /// The program sends.
  case program(UInt64)
  /// The innermost emission in progress on this thread is passed on, with this stamp; zero stands
  /// for the stamp of that emission.
  case emission(UInt64)
  /// An earlier emission is passed on, which has come by these lists.
  case path(Path?, UInt64)

  /// The stamp of the change.
  @inlinable
  var stamp: UInt64 {
    switch self {
    case .program(let stamp), .emission(let stamp), .path(_, let stamp): stamp
    }
  }

  /// The same cause, for a delivery that may outlast the emission in progress.
  @inlinable
  func kept(_ mustWait: Bool) -> Cause {
    if case .emission(let stamp) = self, mustWait { return .waiting(stamp) }
    return self
  }

  /// Makes the library number changes from this call on.
  @usableFromInline
  static func beginStamps() { signal_observer_begin_stamps() }

  /// The stamp of a change that the program is making.
  @usableFromInline
  static func nextStamp() -> UInt64 { signal_observer_next_stamp() }

  /// The cause by which `list` passes on the innermost emission in progress on this thread.
  ///
  /// Also returns whether that emission has come from `list` by bindings and operators alone.
  static func passing(to list: ConnectionList) -> (cause: Cause, isReturning: Bool) {
    let identity = ObjectIdentifier(list)
    var isReturning = false
    let rest = unsafe CauseRecord.forEach { if $0 == identity { isReturning = true } }
    isReturning = isReturning || rest.path?.contains(identity) == true
    return (.emission(rest.stamp > 0 ? rest.stamp : nextStamp()), isReturning)
  }

  @usableFromInline
  static func waiting(_ stamp: UInt64) -> Cause {
    var lists: [ObjectIdentifier] = []
    let rest = unsafe CauseRecord.forEach { lists.append($0) }
    let path = lists.reversed().reduce(rest.path) { Path($1, $0) }
    return .path(path, stamp > 0 ? stamp : rest.stamp)
  }
}

/// The lists by which an emission has come, the last one first.
@usableFromInline
final class Path: Sendable {
  private let list: ObjectIdentifier
  private let before: Path?

  init(_ list: ObjectIdentifier, _ before: Path?) {
    self.list = list
    self.before = before
  }

  func contains(_ other: ObjectIdentifier) -> Bool {
    list == other || before?.contains(other) == true
  }
}

/// The cause of an emission, on the stack of the thread that makes it.
///
/// The record is made before the emission. It identifies the emission by its list and by the
/// emission around it. The pointers and the path are valid while the emission lasts, because its
/// caller holds the cause. Only the thread that owns the stack follows them.
@unsafe
private struct CauseRecord {
  private enum Kind {
    case program
    case emission
    case path
  }

  private let list: ObjectIdentifier
  private let around: UnsafeMutablePointer<SnapshotReader>?
  private let kind: Kind
  private let stamp: UInt64
  private let path: Unmanaged<Path>?
  let outer: UnsafeMutablePointer<CauseRecord>?

  init(_ list: ConnectionList, _ cause: borrowing Cause) {
    unsafe self.list = ObjectIdentifier(list)
    unsafe around = SnapshotReader.current
    unsafe outer = Self.current
    switch copy cause {
    case .program(let stamp): unsafe (kind, self.stamp, path) = (.program, stamp, nil)
    case .emission(let stamp): unsafe (kind, self.stamp, path) = (.emission, stamp, nil)
    case .path(let path, let stamp):
      unsafe (kind, self.stamp) = (.path, stamp)
      unsafe self.path = path.map { unsafe Unmanaged.passUnretained($0) }
    }
  }

  private static var current: UnsafeMutablePointer<CauseRecord>? {
    unsafe signal_observer_get_cause()?.assumingMemoryBound(to: CauseRecord.self)
  }

  /// Calls `body` with each list by which the innermost emission in progress has come, from the
  /// list of that emission outwards.
  ///
  /// Returns the earlier lists, whose emissions are over, and the stamp.
  static func forEach(_ body: (ObjectIdentifier) -> Void) -> (path: Path?, stamp: UInt64) {
    var stamp: UInt64 = 0
    var emission = unsafe SnapshotReader.current
    var record = unsafe current
    while let each = unsafe emission {
      unsafe body(each.pointee.list)
      // Other emissions, which have no slot to call, may have records in between.
      while let candidate = unsafe record, unsafe !candidate.pointee.names(each.pointee) {
        unsafe record = candidate.pointee.outer
      }
      guard let found = unsafe record else { break }
      if stamp == 0 { stamp = unsafe found.pointee.stamp }
      switch unsafe found.pointee.kind {
      case .program: return (nil, stamp)
      case .path: return unsafe (found.pointee.path?.takeUnretainedValue(), stamp)
      case .emission: break
      }
      unsafe emission = each.pointee.outer
      unsafe record = found.pointee.outer
    }
    return (nil, stamp)
  }

  private func names(_ emission: SnapshotReader) -> Bool {
    unsafe list == emission.list && around == emission.outer
  }
}

extension SnapshotList where Element == SignalObserver {
  /// Emits with a cause that bindings and operators find when they pass the emission on.
  @inlinable
  func emit(
    _ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?, because cause: Cause
  ) {
    if case .program(0) = cause {
      unsafe emit(payload, from: isolation)
    } else {
      unsafe emit(payload, from: isolation, noting: cause)
    }
  }

  @usableFromInline
  func emit(
    _ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?, noting cause: borrowing Cause
  ) {
    var record = unsafe CauseRecord(self, cause)
    unsafe withUnsafeMutablePointer(to: &record) { record in
      unsafe signal_observer_set_cause(record)
      unsafe emit(payload, from: isolation)
      unsafe signal_observer_set_cause(record.pointee.outer)
    }
  }
}
