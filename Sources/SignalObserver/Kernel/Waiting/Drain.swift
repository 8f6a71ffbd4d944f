import Dispatch

// Takes the turns of a line, and calls the slots, where the line belongs.

extension Line {
  /// Does what adding a payload or a note has left for after the lock.
  ///
  /// `queue` is retained, and this releases it.
  func act(on added: Added, _ queue: Uncounted<DispatchQueue>?, for mailbox: LineMailbox) {
    if added.contains(.schedules) { schedule(mailbox, queue) }
    if place == .main, added.contains(.isKept) { MainQueue.recordWait() }
    if added.contains(.displaces) { mailbox.releaseDisplaced() }
  }

  @inline(never)
  private func schedule(_ mailbox: LineMailbox, _ queue: Uncounted<DispatchQueue>?) {
    switch place {
    case .queue:
      if let queue {
        enqueueDrain(on: queue.object)
        queue.release()
      }
    case .main: enqueueDrain(on: MainQueue.queue)
    case .actor: Task.detached { await self.drainOnActor() }
    case .asyncSlot:
      guard let connection = mailbox.connection else { return }
      let number = mailbox.countTask()
      let task = Task.detached { await self.drainInTask(connection, mailbox) }
      if mailbox.setTask(task, number) { task.cancel() }
    }
  }

  // MARK: - Synchronous slots

  private func enqueueDrain(on queue: DispatchQueue) {
    queue.async { if self.drain() { self.enqueueDrain(on: queue) } }
  }

  private func drainOnActor() async {
    // The actor is released between drains, so that a flood does not keep it alive.
    while let actor {
      if await !drain(on: actor) { return }
    }
    // The actor is dead: this ends each connection that has a turn.
    while drain() {}
  }

  private func drain(on actor: isolated any Actor) -> Bool { drain() }

  /// Delivers the turns of at most 128 payloads, and returns whether the caller schedules it again.
  ///
  /// In a flood, payloads are added about as fast as they are delivered. A drain that ended at once
  /// would find few of them, and its thread would sleep and be woken for the next. So on any queue
  /// but the main one, it spins for 2 µs, and looks for more, after a round of at least eight.
  private func drain() -> Bool {
    if place == .main { MainQueue.recordRun() }
    let isActorDead = isActorDead
    var room = drainLimit
    var taken = begin(room)
    while taken > 0 {
      Emission.asNobody { for turn in takenTurns { deliver(turn, isActorDead) } }
      room -= taken
      if place != .queue || taken < 8 || room == 0 { return end() }
      let spinEnd = DispatchTime.now().uptimeNanoseconds + 2000
      while DispatchTime.now().uptimeNanoseconds < spinEnd {}
      taken = takeMore(room)
    }
    // Nothing was left, or another drain is in progress.
    return false
  }

  private func deliver(_ turn: Turn<LineMailbox>, _ isActorDead: Bool) {
    turn.taker.with { mailbox in
      mailbox.connectionReference?.with { connection in
        if isActorDead { return connection.end() }
        if turn.isNote { return mailbox.releaseNote() }
        // If no call begins, whoever has ended the connection releases what was taken.
        guard connection.enter(evenIfSuspended: true) else { return }
        let isHere = turn.isHere
        let tracer = turn.isTraced ? mailbox.tracer : nil
        unsafe mailbox.operations.consume(mailbox, turn.count) { payload in
          mailbox.addToTaken(-1, isHere: isHere)
          if let tracer {
            tracer.call(connection) { unsafe connection.call(payload) }
          } else if connection.isActive {
            unsafe connection.call(payload)
          }
          return !connection.isOver
        }
        connection.leave()
      }
    }
  }

  // MARK: - Asynchronous slots

  /// Delivers one payload after the other, each when the call before has returned.
  private func drainInTask(_ connection: SignalObserver, _ mailbox: LineMailbox) async {
    var taken = begin(1)
    while taken > 0 {
      let actor = actor
      if takenTurns[0].isNote {
        mailbox.releaseNote()
      } else if actor == nil, hasActor {
        connection.end()
      } else {
        await deliver(connection, mailbox, on: actor)
      }
      taken = takeMore(1)
    }
    holdUntilHere(mailbox.removeTask())
  }

  /// Delivers one payload, unless the connection has ended before the actor runs it: after
  /// `cancel()` on that actor, no call begins.
  ///
  /// Holds the target until the call has returned, and not until the next.
  private func deliver(
    _ connection: SignalObserver, _ mailbox: LineMailbox, on actor: isolated (any Actor)?
  ) async {
    guard connection.enter(evenIfSuspended: true) else { return }
    let target = connection.target
    // There was none, or it has died.
    if target == nil { connection.endIfDead() }
    var call: SlotCall?
    Emission.asNobody {
      unsafe mailbox.operations.consume(mailbox, 1) { payload in
        mailbox.addToTaken(-1, isHere: false)
        if connection.isActive { call = unsafe connection.makeCall(target, payload) }
        return true
      }
    }
    if takenTurns[0].isTraced { call = mailbox.tracer?.call(connection, call) ?? call }
    await call?()
    connection.leave()
  }
}
