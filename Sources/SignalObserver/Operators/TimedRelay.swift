/// The attoseconds since a connection was made, as a number that is compared without a call.
@usableFromInline
typealias Moment = Int128

/// The pending payloads of one connection of an operator that measures time.
///
/// A timetable is a value under a lock. It calls nobody, takes the time from its arguments, and
/// hands out each payload that it lets go of. The same payloads are due for an emission as for the
/// task that waits.
@usableFromInline
protocol Timetable: Sendable {
  associatedtype Payload: Sendable

  /// The time at which the next payload is due; nil if none is pending.
  var next: Moment? { get }

  /// Takes out the payload that is due first, after ``next`` has come.
  mutating func takeDue() -> Payload?

  /// Takes in a payload, at a time at which no other payload is due.
  ///
  /// - Returns: The payload to send at once, if there is one, and a payload that is never sent, if
  ///   there is one.
  mutating func receive(_ payload: Payload, at now: Moment) -> (sent: Payload?, dropped: Payload?)

  /// The name of the operator in descriptions.
  static var name: StaticString { get }
}

/// A relay that calls its slot at the times of its timetable.
///
/// The clock measures the time. A payload that comes reads the clock, and sends all payloads that
/// are due before anything else. While a payload is pending, one task waits for its time, and holds
/// the relay. Payloads that are pending when the emitter dies are therefore still delivered
/// (guarantee 10). The end of the connection cancels the task. Deliveries are made one at a time,
/// in the order of the decisions to make them, so that no payload overtakes an older one.
@usableFromInline
final class TimedRelay<Table: Timetable, C: Clock>: Sendable where C.Duration == Duration {
  @usableFromInline
  struct Model {
    @usableFromInline var table: Table
    @usableFromInline var isWaiting = false
    /// The latest time that any thread has read, since threads may come here in another order.
    @usableFromInline var now: Moment = 0

    @inlinable
    init(_ table: Table) { self.table = table }

    /// Takes out the payload that is due first at `time`, if one is due.
    @inlinable
    mutating func takeDue(at time: Moment) -> Table.Payload? {
      now = max(now, time)
      guard let next = table.next, next <= now else { return nil }
      return table.takeDue()
    }
  }

  @usableFromInline typealias Work = (payload: Table.Payload, cause: Cause)

  @usableFromInline let relay: Relay
  @usableFromInline let worklist: Worklist<Model, Work>
  private let waiting: CurrentTask
  @usableFromInline let clock: C
  /// The time at which the connection was made.
  ///
  /// The instants of a clock run code of the clock. Under the lock, there are only durations.
  @usableFromInline let start: C.Instant

  /// Attaches `slot` to `base` by way of a relay.
  @inlinable
  static func attach(
    _ slot: SignalSlot<Table.Payload>, to base: some SignalSource<Table.Payload>, _ table: Table,
    _ clock: C
  ) -> SignalObserver {
    let parts = ObserverBag()
    let relay = TimedRelay(slot, parts, table, clock)
    let (observer, end) = (relay.relay.observer, relay.relay.partEnd)
    let part = unsafe slot.part(Table.Payload.self, Table.name, of: relay.relay.list) {
      _, address in
      // A payload that is emitted while suspended is dropped, and never due (guarantee 11).
      if observer.isActive {
        unsafe relay.receive(address.assumingMemoryBound(to: Table.Payload.self).pointee)
      }
      holdUntilHere(end)
    }
    parts.insert(base.attach(part))
    return observer
  }

  @usableFromInline
  init(
    _ slot: SignalSlot<Table.Payload>, _ parts: ObserverBag, _ table: Table, _ clock: C
  ) {
    let waiting = CurrentTask()
    let end = Finally {
      parts.cancelAll()
      waiting.end()
    }
    relay = Relay(slot, holding: end)
    worklist = Worklist(Model(table))
    self.waiting = waiting
    self.clock = clock
    start = clock.now
  }

  @inlinable
  func receive(_ payload: Table.Payload) {
    let now = start.duration(to: clock.now).attoseconds
    var dropped: Table.Payload?
    var (isReceived, mustBegin) = (false, false)
    while !isReceived {
      // One payload at a time: first those that are due, and then the new one.
      add(
        { model, mustWait in
          if let due = model.takeDue(at: now) { return (due, .program(0)) }
          isReceived = true
          let outcome = model.table.receive(payload, at: model.now)
          dropped = outcome.dropped
          mustBegin = !model.isWaiting && model.table.next != nil
          if mustBegin { model.isWaiting = true }
          return outcome.sent.map { ($0, Cause.emission(0).kept(mustWait)) }
        }, changed: { if mustBegin { beginWaiting() } })
    }
    holdUntilHere(dropped)
  }

  @inlinable
  func add(_ change: (inout Model, Bool) -> Work?, changed: () -> Void = {}) {
    worklist.add(
      change, changed: changed, work: { send($0) }, elsewhere: { { self.send($0) } })
  }

  @inlinable
  func send(_ work: Work) {
    unsafe withUnsafePointer(to: work.payload) { unsafe relay.send($0, work.cause) }
  }

  @usableFromInline
  func beginWaiting() {
    waiting.begin { await self.wait() }
  }

  private func wait() async {
    while let next = sendWhatIsDue() {
      let deadline = start.advanced(by: Duration(attoseconds: next))
      guard case .some = try? await clock.sleep(until: deadline, tolerance: nil) else { return }
    }
  }

  /// Sends the payloads that are due, and returns the time of the next one; nil ends the wait.
  private func sendWhatIsDue() -> Moment? {
    var next: Moment?
    var isDone = false
    while !isDone {
      let now = start.duration(to: clock.now).attoseconds
      add { model, _ in
        if let due = model.takeDue(at: now) { return (due, .program(0)) }
        isDone = true
        next = model.table.next
        model.isWaiting = next != nil
        return nil
      }
    }
    return next
  }
}

/// The task that waits for one connection.
///
/// The next task may begin when this one is about to end.
final class CurrentTask: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var begun = 0
    var stored = 0
    var isEnded = false
  }

  private let state = Lock(State())

  func begin(_ body: @escaping @Sendable () async -> Void) {
    let number = nextNumber()
    keep(Task.detached { await body() }, number)
  }

  /// The number of a task that is about to begin: the younger of two tasks has the larger one.
  func nextNumber() -> Int {
    state.withLock { state in
      state.begun += 1
      return state.begun
    }
  }

  /// Keeps the task of that number, to be cancelled at the end, unless there is a younger one.
  func keep(_ task: Task<Void, Never>, _ number: Int) {
    let isEnded = state.withLock { state in
      // Another thread may have stored a later task.
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
