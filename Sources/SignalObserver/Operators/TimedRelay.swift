/// What is due when, for one connection of an operator that measures time.
///
/// A value under a lock: it calls nobody, and hands out the payloads that it lets go of.
@usableFromInline
protocol Timetable: Sendable {
  associatedtype Payload: Sendable
  associatedtype Instant: InstantProtocol

  typealias Outcome = (sent: Payload?, dropped: Payload?)

  /// When something is due next, if anything is.
  mutating func next() -> Instant?

  /// A payload has come; `deadline` is the time of the operator from now.
  mutating func receive(_ payload: Payload, _ deadline: Instant) -> Outcome

  /// The time that ``next()`` last returned has come; `deadline` is as above.
  mutating func arrive(_ deadline: Instant) -> Outcome
}

/// A relay whose slot is called when its timetable says.
///
/// While something is due, one task waits for it and holds the relay, so that what is pending when
/// the emitter dies is still delivered (guarantee 10). When the connection ends, the task is
/// cancelled. Deliveries are made one at a time, in the order of the decisions to make them, so that
/// none overtakes a newer one.
@usableFromInline
final class TimedRelay<Table: Timetable, C: Clock>: Sendable
where C.Instant == Table.Instant, C.Duration == Duration {
  @usableFromInline typealias Model = (table: Table, isWaiting: Bool)
  @usableFromInline typealias Work = (sent: Table.Payload?, mustWait: Bool)

  @usableFromInline let relay: Relay
  @usableFromInline let worklist: Worklist<Model, Work>
  private let waiting: CurrentTask
  @usableFromInline let duration: Duration
  @usableFromInline let clock: C

  /// Attaches `slot` to `base` by way of a relay.
  @inlinable
  static func attach(
    _ slot: SignalSlot<Table.Payload>, to base: some SignalSource<Table.Payload>, _ table: Table,
    _ duration: Duration, _ clock: C
  ) -> SignalObserver {
    let parts = ObserverBag()
    let relay = TimedRelay(slot, parts, table, duration, clock)
    let end = relay.relay.partEnd
    let part = unsafe slot.part(Table.Payload.self) { _, address in
      unsafe relay.receive(address.assumingMemoryBound(to: Table.Payload.self).pointee)
      holdUntilHere(end)
    }
    parts.insert(base.attach(part))
    return relay.relay.observer
  }

  @usableFromInline
  init(
    _ slot: SignalSlot<Table.Payload>, _ parts: ObserverBag, _ table: Table, _ duration: Duration,
    _ clock: C
  ) {
    let waiting = CurrentTask()
    let end = Finally {
      parts.cancelAll()
      waiting.end()
    }
    relay = Relay(slot, holding: end)
    worklist = Worklist((table, false))
    self.waiting = waiting
    self.duration = duration
    self.clock = clock
  }

  @inlinable
  func receive(_ payload: Table.Payload) {
    // What is emitted while suspended is dropped, and does not come due (guarantee 11).
    guard relay.observer.isActive else { return }
    let deadline = clock.now.advanced(by: duration)
    change { $0.receive(payload, deadline) }
  }

  @inlinable
  func change(_ body: (inout Table) -> Table.Outcome) {
    var dropped: Table.Payload?
    worklist.add({ model in
      let outcome = body(&model.table)
      dropped = outcome.dropped
      let mustWait = !model.isWaiting
      model.isWaiting = true
      return mustWait || outcome.sent != nil ? (outcome.sent, mustWait) : nil
    }) { work in
      if work.mustWait { beginWaiting() }
      if let payload = work.sent {
        unsafe withUnsafePointer(to: payload) { unsafe relay.send($0) }
      }
    }
    // After the lock.
    holdUntilHere(dropped)
  }

  @usableFromInline
  func beginWaiting() {
    waiting.begin { await self.wait() }
  }

  private func wait() async {
    while let deadline = next() {
      guard case .some = try? await clock.sleep(until: deadline, tolerance: nil) else { return }
      let deadline = clock.now.advanced(by: duration)
      change { $0.arrive(deadline) }
    }
  }

  private func next() -> C.Instant? {
    var deadline: C.Instant?
    worklist.add({ model in
      deadline = model.table.next()
      model.isWaiting = deadline != nil
      return nil
    }) { _ in }
    return deadline
  }
}

/// The task that waits for one connection; the next one begins when it is about to end.
private final class CurrentTask: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var begun = 0
    var stored = 0
    var isEnded = false
  }

  private let state = Lock(State())

  func begin(_ body: @escaping @Sendable () async -> Void) {
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    let task = Task.detached { await body() }
    let isEnded = state.withLock { state in
      // Another thread may have stored a later one.
      if !state.isEnded && number > state.stored { (state.task, state.stored) = (task, number) }
      return state.isEnded
    }
    if isEnded { task.cancel() }
  }

  func end() {
    let task = state.withLock { state in
      state.isEnded = true
      return state.task.take()
    }
    task?.cancel()
  }
}
