// The loop: the slots that outer emissions still owe a call, then every slot, called or given to
// its lane.

extension SnapshotList where Element == SignalObserver {
  // MARK: - Emitting

  /// Calls every live slot with the payload at `payload`.
  ///
  /// Outer emissions of this signal on this thread come first: they call the slots that they still
  /// owe a call (guarantee 5).
  @usableFromInline
  func emit(_ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?) {
    unsafe emit(payload, isolation) { emission in
      if unsafe !emission.pointee.isOuterSettled { unsafe settle(before: emission) }
      unsafe run(emission, by: emission.pointee.reader)
    }
  }

  /// Delivers the payload at `payload` to one slot of this list alone, if it is live.
  ///
  /// To the other slots this is no emission: outer emissions still owe them their calls.
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
      if lane.mustLook { observer.endIfOver() }
      unsafe add(observer, lane, berth, emission)
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
  /// Not inlined, since its variables would be on the stack at every level of emissions.
  @inline(never)
  private func settle(before emission: UnsafeMutablePointer<Emission>) {
    while let owing = unsafe emission.pointee.outermostOwing() {
      unsafe run(owing, by: emission.pointee.reader)
    }
    unsafe emission.pointee.isOuterSettled = true
  }

  /// Delivers to the slots that `emission` has not come to yet; `caller` is the reader of
  /// `emission`, or of the inner emission that delivers in its place.
  ///
  /// Where the emission stands is in memory that a slot's own emissions find by the chain. So it is
  /// written before each call, and read after it.
  @inline(__always)
  private func run(
    _ emission: UnsafeMutablePointer<Emission>, by caller: UnsafeMutablePointer<SnapshotReader>
  ) {
    let payload = unsafe emission.pointee.payload
    let reader = unsafe emission.pointee.reader
    let count = unsafe reader.pointee.count
    var index = unsafe emission.pointee.next
    while index < count {
      guard let pointer = unsafe reader.pointee[index] else {
        index &+= 1
        continue
      }
      unsafe Unmanaged<SignalObserver>.fromOpaque(pointer)._withUnsafeGuaranteedRef { observer in
        if unsafe observer.laneReference != nil {
          unsafe emission.pointee.next = index
          unsafe enqueue(observer, index, emission, caller)
          index = unsafe emission.pointee.next
          return
        }
        index &+= 1
        let flags = observer.flags.look
        if flags.isActive {
          unsafe emission.pointee.next = index
          unsafe call(observer, payload, caller)
          index = unsafe emission.pointee.next
        } else if flags.isEnded {
          unsafe emission.pointee.next = index
          observer.endIfOver()
          index = unsafe emission.pointee.next
        }
      }
    }
    unsafe emission.pointee.next = index
  }

  @inline(__always)
  private func call(
    _ observer: SignalObserver, _ payload: UnsafeRawPointer,
    _ caller: UnsafeMutablePointer<SnapshotReader>
  ) {
    // Keeps the callee until the call has returned, even if the slot is cancelled meanwhile.
    unsafe caller.pointee.calling = Unmanaged.passUnretained(observer).toOpaque()
    unsafe observer.call(with: payload)
    unsafe caller.pointee.calling = nil
    if observer.isEnded {
      observer.endIfOver()
      endCall(of: observer)
    }
  }

  // MARK: - Slots that wait

  @inline(__always)
  private func runsAtOnce(
    _ lane: Lane<SignalObserver>, _ berth: Berth, _ emission: UnsafeMutablePointer<Emission>
  ) -> Bool {
    unsafe !berth.alwaysWaits && emission.pointee.isOnPlace(of: lane) && lane.mayRunAtOnce(berth)
  }

  /// Calls the slot at `index` if it runs at once, or adds the payload to its lane, with the
  /// following slots of the same lane under one lock.
  ///
  /// Not inlined, to keep the loop over inline slots small, and the stack of nested emissions.
  @inline(never)
  private func enqueue(
    _ observer: SignalObserver, _ index: Int, _ emission: UnsafeMutablePointer<Emission>,
    _ caller: UnsafeMutablePointer<SnapshotReader>
  ) {
    // The observer holds both; counting them costs as much as all the rest.
    guard let lane = unsafe observer.laneReference, let berth = unsafe observer.berthReference
    else {
      return
    }
    unsafe lane._withUnsafeGuaranteedRef { lane in
      unsafe berth._withUnsafeGuaranteedRef { berth in
        if observer.isActive, unsafe runsAtOnce(lane, berth, emission) {
          unsafe emission.pointee.next = index &+ 1
          return unsafe call(observer, emission.pointee.payload, caller)
        }
        if unsafe isOfLane(lane, index &+ 1, emission) {
          return unsafe enqueueGroup(observer, lane, index, emission)
        }
        if lane.mustLook {
          if observer.isActive { observer.endIfOver() }
          // Letting go of the target may have run anybody's code, which may have emitted, and
          // thereby delivered this payload.
          if unsafe emission.pointee.next != index { return }
        }
        unsafe emission.pointee.next = index &+ 1
        if observer.isActive { unsafe add(observer, lane, berth, emission) }
      }
    }
  }

  @inline(__always)
  private func add(
    _ observer: SignalObserver, _ lane: Lane<SignalObserver>, _ berth: Berth,
    _ emission: UnsafeMutablePointer<Emission>
  ) {
    let isHere = unsafe !berth.alwaysWaits && emission.pointee.mayBeOnPlace(of: lane)
    let added = unsafe lane.add(observer, berth, emission.pointee.payload, isHere: isHere)
    unsafe lane.act(on: added, for: observer)
  }

  private func isOfLane(
    _ lane: Lane<SignalObserver>, _ index: Int, _ emission: UnsafeMutablePointer<Emission>
  ) -> Bool {
    let reader = unsafe emission.pointee.reader
    guard unsafe index < reader.pointee.count, let pointer = unsafe reader.pointee[index] else {
      return false
    }
    return unsafe Unmanaged<SignalObserver>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
      unsafe $0.laneReference?.toOpaque() == Unmanaged.passUnretained(lane).toOpaque()
    }
  }

  @inline(never)
  private func enqueueGroup(
    _ observer: SignalObserver, _ lane: Lane<SignalObserver>, _ index: Int,
    _ emission: UnsafeMutablePointer<Emission>
  ) {
    guard let end = unsafe endOfGroup(index, lane, emission) else { return }
    unsafe emission.pointee.next = end
    let payload = unsafe emission.pointee.payload
    let reader = unsafe emission.pointee.reader
    let mayBeHere = unsafe emission.pointee.mayBeOnPlace(of: lane)
    let added = unsafe lane.add { state, added in
      for each in index..<end {
        guard let pointer = unsafe reader.pointee[each] else { continue }
        unsafe Unmanaged<SignalObserver>.fromOpaque(pointer)._withUnsafeGuaranteedRef { observer in
          guard observer.isActive, let berth = unsafe observer.berthReference else { return }
          unsafe berth._withUnsafeGuaranteedRef { berth in
            let isHere = mayBeHere && !berth.alwaysWaits
            unsafe state.add(observer, berth, payload, isHere: isHere, &added)
          }
        }
      }
    }
    unsafe lane.act(on: added, for: observer)
  }

  /// The end of the group of slots that begins at `index`: of one lane, with none in between that
  /// is called.
  ///
  /// Ends connections with dead targets on the way. That may run code that delivers the emission's
  /// payload to further slots. Returns nil then: the emission goes on where it stands.
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
            guard unsafe isOfLane(lane, end, emission),
              end == index || !isOnPlace || observer.berth?.alwaysWaits == true
            else { return false }
            if mustLook, observer.isActive { observer.endIfOver() }
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
