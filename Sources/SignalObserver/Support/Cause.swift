import CSignalObserver

/// Why an emission is made: because the program sends, or because a binding or an operator passes
/// another emission on.
///
/// Each change of a value has a number, its *stamp*. Stamps rise from one change to the next, and
/// bindings pass them on with the change. Until there is a binding, changes are not numbered, and
/// all stamps are zero.
@usableFromInline
enum Cause: Sendable {
  /// The program sends.
  case program(UInt64)
  /// A slot passes its emission on. The thread is in that slot. If the stamp is zero, the stamp of
  /// the emission counts.
  case emission(UInt64)
  /// An earlier emission is passed on, after it has taken this path.
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

  private static var areNumbered: Bool { signal_observer_stamps_have_begun() }

  /// The stamp of a change that the program is making.
  @usableFromInline
  static func nextStamp() -> UInt64 { signal_observer_next_stamp() }

  /// The cause of an emission that a binding passes on at once.
  static func passing() -> Cause { unsafe .emission(Emission.forEachPassedOn { _ in }.stamp) }

  /// Whether the payload has passed through `list`, and since then through bindings and operators
  /// alone.
  func comes(from list: ConnectionList) -> Bool {
    switch self {
    case .program: return false
    case .path(let path, _): return path?.contains(list) == true
    case .emission:
      var comesFromList = false
      let rest = unsafe Emission.forEachPassedOn { if $0 === list { comesFromList = true } }
      return comesFromList || rest.path?.contains(list) == true
    }
  }

  /// The same cause with another stamp.
  func stamped(_ stamp: UInt64) -> Cause {
    switch self {
    case .program: .program(stamp)
    case .emission: .emission(stamp)
    case .path(let path, _): .path(path, stamp)
    }
  }

  /// The cause of an emission that is passed on later, when the present one is over.
  ///
  /// Without a binding, nobody asks for it.
  @usableFromInline
  static func waiting(_ stamp: UInt64) -> Cause {
    if !areNumbered { return .connecting() }
    var lists: [ConnectionList] = []
    let rest = unsafe Emission.forEachPassedOn { lists.append($0) }
    let path = lists.reversed().reduce(rest.path) { Path($1, $0) }
    return .connecting(after: path, stamp > 0 ? stamp : rest.stamp)
  }
}

extension Emission {
  /// Calls `body` with each list through which the present emission has passed, beginning with its
  /// own list.
  ///
  /// The present emission is the one whose slot this thread is in.
  ///
  /// Returns the rest of the path (emissions that are over), and the stamp.
  fileprivate static func forEachPassedOn(
    _ body: (ConnectionList) -> Void
  ) -> (path: Path?, stamp: UInt64) {
    var (path, stamp): (Path?, UInt64) = (nil, 0)
    var emission = unsafe current
    while let each = unsafe emission {
      unsafe each.pointee.list?._withUnsafeGuaranteedRef { body($0) }
      // The emission was given a cause, or none.
      let cause = unsafe each.pointee.cause?.assumingMemoryBound(to: Cause.self).pointee
      if stamp == 0 { stamp = cause?.stamp ?? 0 }
      switch cause {
      case nil, .program: unsafe emission = nil
      case .path(let earlier, _): unsafe (path, emission) = (earlier?.lists, nil)
      case .emission: unsafe emission = each.pointee.source
      }
    }
    return (path, stamp)
  }
}

extension ConnectionList {
  /// Emits with a cause, which bindings and operators find when they pass the emission on.
  ///
  /// The pointers are typed, so that the compiler makes them of variables.
  @inlinable
  func emit<Payload>(
    _ payload: UnsafePointer<Payload>, from isolation: ObjectIdentifier?,
    because cause: UnsafePointer<Cause>
  ) {
    unsafe emit(UnsafeRawPointer(payload), from: isolation, UnsafeRawPointer(cause))
  }
}

/// The lists through which an emission has passed, the last one first.
///
/// It holds the lists, because another list could get the address of one that has died.
@usableFromInline
final class Path: Sendable {
  private let list: ConnectionList?
  private let before: Path?
  /// The call that connects a slot and causes the emission, if one does.
  ///
  /// Only the first part of a path has it, and no list.
  @usableFromInline let connecting: Connecting?

  init(_ list: ConnectionList?, _ before: Path? = nil, _ connecting: Connecting? = nil) {
    self.list = list
    self.before = before
    self.connecting = connecting
  }

  /// The same path without the call.
  var lists: Path? { connecting == nil ? self : before }

  func contains(_ other: ConnectionList) -> Bool {
    list === other || before?.contains(other) == true
  }
}
