import CSignalObserver
import Dispatch

// Runs lanes where they belong.

extension Lane where Member == SignalObserver {
  /// Has a drain come to the place, and releases the payloads that a bound has displaced.
  ///
  /// Not under a lock.
  @inline(__always)
  func act(on added: consuming Added, for observer: SignalObserver) {
    if unsafe added.mustSchedule { unsafe schedule(added.queue, added.turn, observer) }
    unsafe added.release()
  }

  @inline(never)
  private func schedule(_ queue: DispatchQueue?, _ turn: Int, _ observer: SignalObserver) {
    switch place {
    case .queue: if let queue { queue.async { self.drain(on: queue) } }
    case .main: MainQueue.queue.async { self.drainOnMain() }
    case .actor: Task.detached { await self.drainOnActor() }
    case .task:
      guard let berth = observer.berth else { return }
      let task = Task.detached { await self.drainInTask(observer, berth) }
      if setTask(task, turn, berth) { task.cancel() }
    }
  }

  // MARK: - Synchronous slots

  private func drain(on queue: DispatchQueue) {
    if drain(gathers: true) { queue.async { self.drain(on: queue) } }
  }

  /// Lets payloads come for two microseconds, in a flood.
  ///
  /// A drain that looked at once would find a few, and two threads would take the lane's lock and
  /// the memory beside it from each other at each: an emission would take twice the time. A drain
  /// that ended would let its thread go to sleep; waking the thread costs as much as a hundred
  /// emissions.
  private func gather() {
    let end = DispatchTime.now().uptimeNanoseconds + 2000
    while DispatchTime.now().uptimeNanoseconds < end {}
  }

  private func drainOnMain() {
    if drain() { MainQueue.queue.async { self.drainOnMain() } }
  }

  private func drainOnActor() async {
    // The actor is let go of between segments, so that a flood does not keep it alive.
    while let actor {
      if await !drain(on: actor) { return }
    }
    endAll()
  }

  private func drain(on actor: isolated any Actor) -> Bool { drain() }

  /// Delivers as much as a drain may at a time, and returns whether to come again.
  ///
  /// A drain that gathers waits for more in a flood, and looks again.
  private func drain(gathers: Bool = false) -> Bool {
    var room = Segment.limit
    var isGuest = false
    while true {
      switch unsafe begin(room: room, isGuest: isGuest) {
      case .segment(let hand):
        unsafe room -= hand.count
        let looksAgain = unsafe gathers && hand.isLast && hand.count >= Segment.flood && room > 0
        isGuest = unsafe !deliver(unsafe hand, looksAgain)
        if isGuest, !looksAgain { return false }
        if isGuest { gather() }
      case .noRoom: return !isGuest
      case .nothing: return false
      }
    }
  }

  /// Delivers a segment, and returns whether to come again.
  private func deliver(_ hand: Hand<SignalObserver>, _ looksAgain: Bool) -> Bool {
    var hand = unsafe hand
    unsafe withUnsafeMutablePointer(to: &hand) { hand in
      let outer = unsafe signal_observer_get_drain()
      var record = unsafe DrainRecord(lane: ObjectIdentifier(self), hand: hand, outer: outer)
      unsafe withUnsafeMutablePointer(to: &record) { record in
        unsafe signal_observer_set_drain(record)
        while let run = unsafe hand.pointee.nextRun() { unsafe deliver(run, record) }
        unsafe signal_observer_set_drain(outer)
      }
    }
    return unsafe end(hand, looksAgain: looksAgain)
  }

  /// Calls a slot with the payloads of one run.
  private func deliver(
    _ run: Hand<SignalObserver>.Next, _ record: UnsafeMutablePointer<DrainRecord<SignalObserver>>
  ) {
    if unsafe run.kind.isNote { return unsafe Self.releaseNote(run) }
    let hand = unsafe record.pointee.hand
    // An observer that ends meanwhile is kept until the segment is given back.
    unsafe run.member._withUnsafeGuaranteedRef { observer in
      // A run is of an observer that has a berth.
      let type = observer.payloadType
      unsafe record.pointee.calling = run.member.toOpaque()
      var address = unsafe run.payloads
      for _ in unsafe 0..<run.kind.count {
        unsafe hand.pointee.restOfRun -= 1
        if unsafe run.kind.isHere { unsafe hand.pointee.here -= 1 }
        if observer.isActive { unsafe observer.call(with: address) }
        if !type.isTrivial { unsafe type.handling.destroy(address, count: 1) }
        unsafe address += type.stride
      }
      unsafe record.pointee.calling = nil
      if observer.isEnded { observer.becameIdle() }
    }
  }

  private static func releaseNote(_ run: Hand<SignalObserver>.Next) {
    let note = unsafe run.payloads.load(as: UnsafeMutableRawPointer.self)
    unsafe Unmanaged<AnyObject>.fromOpaque(note).release()
  }

  /// Ends all that wait for an actor that has died.
  private func endAll() {
    while case .segment(var hand) = unsafe begin(staysScheduled: true) {
      while let run = unsafe hand.nextRun() {
        if unsafe run.kind.isNote {
          unsafe Self.releaseNote(run)
        } else {
          unsafe run.member._withUnsafeGuaranteedRef { observer in
            observer.cancel()
            // As above.
            let type = observer.payloadType
            unsafe type.handling.destroy(run.payloads, count: run.kind.count)
          }
        }
      }
      _ = unsafe end(hand)
    }
  }

  // MARK: - Asynchronous slots

  /// Delivers one payload after the other, each when the one before has been handled, until none is
  /// left.
  private func drainInTask(_ observer: SignalObserver, _ berth: Berth) async {
    while case .segment(var hand) = unsafe begin(staysScheduled: true) {
      while let run = unsafe hand.nextRun() {
        if unsafe run.kind.isNote {
          unsafe Self.releaseNote(run)
          continue
        }
        let actor = berth.isTargets ? observer.target as? any Actor : actor
        if actor == nil, hasActor || berth.isTargets {
          observer.cancel()
        } else if let body = unsafe berth.body {
          // The drain awaits the call, so nobody else touches the payload meanwhile.
          nonisolated(unsafe) let address = unsafe UnsafeRawPointer(run.payloads)
          unsafe await call(body, observer, address, on: actor)
        }
        unsafe berth.type.handling.destroy(run.payloads, count: 1)
      }
      _ = unsafe end(hand)
    }
  }

  /// Calls `body` once, if that is still wanted when the actor's turn has come: after `cancel()` on
  /// that actor, no call begins.
  ///
  /// Holds the target until the call has returned, and not until the next.
  private func call(
    _ body: AsyncBody, _ observer: SignalObserver, _ address: UnsafeRawPointer,
    on actor: isolated (any Actor)?
  ) async {
    guard observer.isActive else { return }
    let target = observer.target
    if target == nil, observer.isTargetGone { return observer.cancel() }
    unsafe await body(target, address)
  }
}
