/// Attoseconds since a connection was made: a number, which is compared without a call.
@usableFromInline
typealias Moment = Int128

/// What is due when, for one connection of an operator that measures time.
///
/// A value under a lock: it calls nobody, knows the time by what it is told, and hands out the payloads
/// that it lets go of. What is due is the same whether a payload finds it or the task that waits.
@usableFromInline
protocol Timetable: Sendable {
  associatedtype Payload: Sendable

  /// When something is due next, if anything is.
  var next: Moment? { get }

  /// Takes out what is due first, if ``next`` has come.
  mutating func takeDue() -> Payload?

  /// A payload has come, at a time when nothing is due.
  ///
  /// - Returns: What is sent at once, if anything is, and a payload that is not sent at all.
  mutating func receive(_ payload: Payload, at now: Moment) -> (sent: Payload?, dropped: Payload?)

  /// What descriptions call the operator.
  static var name: StaticString { get }
}

/// A relay whose slot is called when its timetable says.
///
/// Time is the clock's: a payload that comes reads it, and sends what is due before anything else. While
/// something is due later, one task waits for it and holds the relay, so that what is pending when
/// the emitter dies is still delivered (guarantee 10). When the connection ends, the task is
/// cancelled. Deliveries are made one at a time, in the order of the decisions to make them, so that
/// none overtakes a newer one.
@usableFromInline
final class TimedRelay<Table: Timetable, C: Clock>: Sendable where C.Duration == Duration {
  @usableFromInline
  struct Model {
    @usableFromInline var table: Table
    @usableFromInline var isWaiting = false
    /// The latest time that any thread has read: they may come here in another order.
    @usableFromInline var now: Moment = 0

    @inlinable
    init(_ table: Table) { self.table = table }

    /// Takes out what is due first, if anything is.
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
  /// When the connection was made.
  ///
  /// A clock's own times are anybody's code, so under the lock there are durations only.
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
      // What is emitted while suspended is dropped, and does not come due (guarantee 11).
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
      // One at a time: what is due, and then what has come.
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

  /// Returns when something is due next, if anything is; otherwise nobody waits any more.
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
