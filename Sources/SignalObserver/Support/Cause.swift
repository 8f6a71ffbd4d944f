import CSignalObserver

/// Why a list emits: since the program says so, or since a binding or an operator passes on what
/// another list emits.
///
/// What the program does begins a chain, which ends where a binding would close it to a cycle. Changes
/// of values have a number, their *stamp*, that rises from one to the next and is passed on with them:
/// where an older one has overtaken a newer one, that one may pass once more, so that all end on the
/// newest. Nobody counts, and all stamps are zero, until there is a binding.
@usableFromInline
enum Cause: Sendable {
  /// The program sends.
  case program(UInt64)
  /// The innermost emission in progress on this thread is passed on, now; with the stamp of that if it is
  /// zero.
  case emission(UInt64)
  /// An earlier emission is passed on, which came by these lists.
  case path(Path?, UInt64)

  /// The number of the change.
  @inlinable
  var stamp: UInt64 {
    switch self {
    case .program(let stamp), .emission(let stamp), .path(_, let stamp): stamp
    }
  }

  /// The same, for a delivery that may have to wait until the emission in progress is over.
  @inlinable
  func kept(_ mustWait: Bool) -> Cause {
    if case .emission(let stamp) = self, mustWait { return .waiting(stamp) }
    return self
  }

  /// Has changes numbered from now on.
  @usableFromInline
  static func beginStamps() { signal_observer_begin_stamps() }

  /// The stamp of a change that the program makes now.
  @usableFromInline
  static func nextStamp() -> UInt64 { signal_observer_next_stamp() }

  /// What passes on the innermost emission in progress on this thread to `list`, and whether it has
  /// come from there without the program's doing.
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

/// The lists that an emission has come by, the last one first.
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
/// It is made before the emission, and names it by its list and the emission around it. Pointers and
/// the path are valid while it lasts, because who emits has the cause; only the thread that owns the stack follows them.
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

  /// Calls `body` with the lists by which the innermost emission in progress has come, from that one
  /// outwards.
  ///
  /// Returns the lists that follow, of which none is in progress any more, and the stamp.
  static func forEach(_ body: (ObjectIdentifier) -> Void) -> (path: Path?, stamp: UInt64) {
    var stamp: UInt64 = 0
    var emission = unsafe SnapshotReader.current
    var record = unsafe current
    while let each = unsafe emission {
      // A list that is only looked at emits nothing.
      if unsafe each.pointee.purpose == nil {
        unsafe emission = each.pointee.outer
        continue
      }
      unsafe body(each.pointee.list)
      // Records of emissions that have no slot to call are looked at, too, and are about others.
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
  /// Emits for a reason that those can find out who pass it on.
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
