/// One emission in progress, on the stack of the thread that makes it.
///
/// By the chain of the thread's readers, an inner emission finds the slots that an outer emission
/// of the same signal still owes a call, and calls them first (guarantee 5).
@unsafe
struct Emission {
  /// Where the payload is while the emission lasts.
  let payload: UnsafeRawPointer
  /// The actor that the emission was made on, if the compiler knew one.
  let isolation: ObjectIdentifier?
  /// Whether the emission is on the main queue, once that has been asked.
  private var isOnMainQueue: Bool?
  let reader: UnsafeMutablePointer<SnapshotReader>
  /// The next slot of the snapshot to deliver to.
  ///
  /// An inner emission moves it when it delivers the payload to the slots that are owed it.
  var next = 0
  /// Whether no outer emission of this signal on this thread still owes calls.
  var isOuterSettled: Bool

  init(
    _ payload: UnsafeRawPointer, _ isolation: ObjectIdentifier?,
    _ reader: UnsafeMutablePointer<SnapshotReader>
  ) {
    unsafe self.payload = payload
    unsafe self.isolation = isolation
    unsafe self.reader = reader
    unsafe isOuterSettled = unsafe reader.pointee.outerOfList == nil
  }

  /// The emission that `reader` reads for, if it does for any.
  static func of(_ reader: UnsafeMutablePointer<SnapshotReader>) -> UnsafeMutablePointer<Emission>?
  {
    unsafe reader.pointee.purpose?.assumingMemoryBound(to: Emission.self)
  }

  /// Whether the emission is on the main actor: known by the compiler if it is on any actor, and
  /// otherwise asked once for all slots.
  private var isOnMain: Bool {
    mutating get {
      if let isolation = unsafe isolation { return isolation == MainQueue.actor }
      if let answer = unsafe isOnMainQueue { return answer }
      let answer = MainQueue.isCurrent
      unsafe isOnMainQueue = answer
      return answer
    }
  }

  /// Whether the emission is made where the drains of `lane` run.
  mutating func isOnPlace(of lane: Lane<SignalObserver>) -> Bool {
    switch lane.place {
    case .queue, .task: false
    case .main: unsafe isOnMain
    // Another actor may have the address of one that has died.
    case .actor(let actor): unsafe isolation == actor && lane.actor != nil
    }
  }

  /// Whether the emission may be made there.
  ///
  /// An emission whose actor is unknown counts as made there.
  mutating func mayBeOnPlace(of lane: Lane<SignalObserver>) -> Bool {
    switch lane.place {
    case .queue, .task: false
    case .main: unsafe isOnMain
    case .actor(let actor): unsafe isolation.map { $0 == actor } ?? true
    }
  }

  /// The outermost emission of the same signal on this thread that has slots left to call.
  func outermostOwing() -> UnsafeMutablePointer<Emission>? {
    var found: UnsafeMutablePointer<Emission>?
    var outer = unsafe reader.pointee.outerOfList
    while let each = unsafe outer {
      // None if the list is only looked at.
      if let emission = unsafe Emission.of(each) {
        if unsafe emission.pointee.next < each.pointee.count { unsafe found = emission }
        if unsafe emission.pointee.isOuterSettled { break }
      }
      unsafe outer = each.pointee.outerOfList
    }
    return unsafe found
  }
}

/// The actor that the innermost emission on this thread was made on, if there is one and the
/// compiler knew.
@usableFromInline
func currentIsolation() -> ObjectIdentifier? {
  let reader = unsafe SnapshotReader.purposeful(from: SnapshotReader.current)
  return unsafe reader.flatMap { unsafe Emission.of($0) }?.pointee.isolation
}
