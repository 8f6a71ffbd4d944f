/// One emission in progress, on the stack of the thread that makes it.
///
/// By the chain of the thread's readers an inner emission finds what an outer one of the same signal
/// still owes to later slots, and delivers it first (guarantee 5).
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
  /// An inner emission moves it when it delivers what is owed.
  var next = 0
  /// Whether nothing further out on this thread owes anything to this signal.
  var isOuterSettled = false

  init(
    _ payload: UnsafeRawPointer, _ isolation: ObjectIdentifier?,
    _ reader: UnsafeMutablePointer<SnapshotReader>
  ) {
    unsafe self.payload = payload
    unsafe self.isolation = isolation
    unsafe self.reader = reader
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

  /// Whether it may be: where an emission's actor is unknown, it counts as made there.
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

/// The actor that the innermost emission on this thread was made on, if there is one and the compiler
/// knew.
@usableFromInline
func currentIsolation() -> ObjectIdentifier? {
  let reader = unsafe SnapshotReader.purposeful(from: SnapshotReader.current)
  return unsafe reader.flatMap { unsafe Emission.of($0) }?.pointee.isolation
}

extension SnapshotList where Element == SignalObserver {
  // MARK: - Emitting

  /// Calls every live slot with the payload at `payload`, after what outer emissions of this signal
  /// on this thread still owe (guarantee 5).
  @usableFromInline
  func emit(_ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?) {
    unsafe emit(payload, isolation) { emission in
      if unsafe emission.pointee.reader.pointee.outerOfList != nil {
        unsafe settle(before: emission)
      }
      unsafe emission.pointee.isOuterSettled = true
      unsafe run(emission, by: emission.pointee.reader)
    }
  }

  /// Delivers the payload at `payload` to one slot of this list alone, if it is live.
  ///
  /// To the others this is no emission: what is owed to them stays owed.
  @usableFromInline
  func emit(
    _ payload: UnsafeRawPointer, to observer: SignalObserver, from isolation: ObjectIdentifier?
  ) {
    unsafe emit(payload, isolation) { emission in
      let reader = unsafe emission.pointee.reader
      unsafe emission.pointee.next = reader.pointee.count
      guard observer.isActive else { return }
      guard let lane = observer.lane, let berth = observer.berth else {
        return unsafe call(observer, payload, reader)
      }
      if unsafe runsAtOnce(lane, berth, emission) { return unsafe call(observer, payload, reader) }
      if lane.mustLook { observer.endIfTargetIsGone() }
      let isHere = unsafe emission.pointee.mayBeOnPlace(of: lane) && !berth.alwaysWaits
      let added = unsafe lane.add { add in unsafe add(observer, berth, payload, isHere) }
      unsafe lane.act(on: added, for: observer)
    }
  }

  @inline(__always)
  private func emit(
    _ payload: UnsafeRawPointer, _ isolation: ObjectIdentifier?,
    _ body: (UnsafeMutablePointer<Emission>) -> Void
  ) {
    unsafe read { reader in
      var emission = unsafe Emission(payload, isolation, reader)
      unsafe withUnsafeMutablePointer(to: &emission) { emission in
        unsafe reader.pointee.purpose = UnsafeMutableRawPointer(emission)
        unsafe body(emission)
      }
    }
  }

  /// Calls the slots that outer emissions owe to this signal.
  ///
  /// Not inlined, since what it keeps on the stack would be there at every level of emissions.
  @inline(never)
  private func settle(before emission: UnsafeMutablePointer<Emission>) {
    while let owing = unsafe emission.pointee.outermostOwing() {
      unsafe run(owing, by: emission.pointee.reader)
    }
  }

  /// Delivers to the slots that `emission` has not come to yet; `caller` is its own reader, or that of the inner
  /// emission that makes up for it.
  ///
  /// Where the emission stands is in memory that a slot's own emissions find by the chain, so it is
  /// written before each call.
  private func run(
    _ emission: UnsafeMutablePointer<Emission>, by caller: UnsafeMutablePointer<SnapshotReader>
  ) {
    let payload = unsafe emission.pointee.payload
    let reader = unsafe emission.pointee.reader
    let count = unsafe reader.pointee.count
    while true {
      let index = unsafe emission.pointee.next
      guard index < count else { return }
      guard let pointer = unsafe reader.pointee[index] else {
        unsafe emission.pointee.next = index &+ 1
        continue
      }
      unsafe Unmanaged<SignalObserver>.fromOpaque(pointer)._withUnsafeGuaranteedRef { observer in
        if let lane = observer.lane {
          return unsafe enqueue(observer, lane, index, emission, caller)
        }
        unsafe emission.pointee.next = index &+ 1
        if observer.isActive { unsafe call(observer, payload, caller) }
      }
    }
  }

  @inline(__always)
  private func call(
    _ observer: SignalObserver, _ payload: UnsafeRawPointer,
    _ caller: UnsafeMutablePointer<SnapshotReader>
  ) {
    // Keeps what is called, which may be cancelled meanwhile, until the call has returned.
    unsafe caller.pointee.calling = Unmanaged.passUnretained(observer).toOpaque()
    unsafe observer.call(with: payload)
    unsafe caller.pointee.calling = nil
    if observer.isEnded { endCall(of: observer) }
  }

  // MARK: - Slots that wait

  private func runsAtOnce(
    _ lane: Lane<SignalObserver>, _ berth: Berth, _ emission: UnsafeMutablePointer<Emission>
  ) -> Bool {
    unsafe !berth.alwaysWaits && emission.pointee.isOnPlace(of: lane) && lane.mayRunAtOnce(berth)
  }

  /// Calls the slot at `index` if it runs at once, or adds the payload to its lane, with the following slots of the
  /// same lane under one lock.
  ///
  /// Not inlined, to keep the loop over inline slots small, and the stack of nested emissions.
  @inline(never)
  private func enqueue(
    _ observer: SignalObserver, _ lane: Lane<SignalObserver>, _ index: Int,
    _ emission: UnsafeMutablePointer<Emission>, _ caller: UnsafeMutablePointer<SnapshotReader>
  ) {
    if observer.isActive, let berth = observer.berth, unsafe runsAtOnce(lane, berth, emission) {
      unsafe emission.pointee.next = index &+ 1
      return unsafe call(observer, emission.pointee.payload, caller)
    }
    guard let end = unsafe endOfGroup(index, lane, emission) else { return }
    unsafe emission.pointee.next = end
    let mayBeHere = unsafe emission.pointee.mayBeOnPlace(of: lane)
    let added = unsafe lane.add { add in
      for each in index..<end {
        guard let pointer = unsafe emission.pointee.reader.pointee[each] else { continue }
        unsafe Unmanaged<SignalObserver>.fromOpaque(pointer)._withUnsafeGuaranteedRef { observer in
          guard let berth = observer.berth, observer.isActive else { return }
          unsafe add(observer, berth, emission.pointee.payload, mayBeHere && !berth.alwaysWaits)
        }
      }
    }
    unsafe lane.act(on: added, for: observer)
  }

  /// The end of the group of slots that begins at `index`: of one lane, with none in between that is called.
  ///
  /// Ends connections with dead targets on the way.
  ///
  /// Letting go of a target may run anybody's code, which may emit, and thereby deliver what is owed. Then this returns
  /// nil, and the emission goes on where it stands.
  private func endOfGroup(
    _ index: Int, _ lane: Lane<SignalObserver>, _ emission: UnsafeMutablePointer<Emission>
  ) -> Int? {
    let mustLook = lane.mustLook
    let reader = unsafe emission.pointee.reader
    let isOnPlace = unsafe emission.pointee.isOnPlace(of: lane)
    var end = index
    while unsafe end < reader.pointee.count {
      if let pointer = unsafe reader.pointee[end] {
        let isOfGroup = unsafe Unmanaged<SignalObserver>.fromOpaque(pointer)
          ._withUnsafeGuaranteedRef { observer in
            guard observer.lane === lane,
              end == index || !isOnPlace || observer.berth?.alwaysWaits == true
            else { return false }
            if mustLook, observer.isActive { observer.endIfTargetIsGone() }
            return true
          }
        if unsafe emission.pointee.next != index { return nil }
        if !isOfGroup { break }
      }
      end += 1
    }
    return end
  }
}
