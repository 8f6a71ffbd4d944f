/// A payload, and the cause that a binding finds when the payload is sent.
@usableFromInline
typealias TimedEntry<Payload> = (payload: Payload, cause: Cause)

/// The pending payloads of one connection of an operator that measures time.
///
/// A timetable is a value under a lock. It calls nobody, and gets the time as an argument, counted
/// from the moment at which the connection was made. It hands out each payload that it removes, so
/// that its caller releases the payload after the lock. An emission and the waiting task agree on
/// which payloads are due.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
@usableFromInline
protocol Timetable: Sendable {
  associatedtype Input: Sendable = Payload
  associatedtype Payload: Sendable

  /// The time at which the next payload is due; nil if none waits for a time.
  var next: Duration? { get }

  /// Takes out the payload that is due first, once the time is at or after ``next``.
  mutating func takeDue() -> TimedEntry<Payload>?

  /// Takes in a payload, at a time at which no other payload is due.
  ///
  /// - Returns: What to send at once, and a payload that is dropped, if there is one.
  mutating func receive(
    _ entry: TimedEntry<Input>, at now: Duration
  ) -> (sent: TimedEntry<Payload>?, dropped: TimedEntry<Input>?)

  /// Takes out what is sent at once when the source has ended.
  ///
  /// What is not taken out is sent when it is due.
  mutating func takeRest() -> TimedEntry<Payload>?
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension Timetable {
  @inlinable
  mutating func takeRest() -> TimedEntry<Payload>? { nil }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension SignalSource {
  /// A source that sends the payloads of this one at the times of a timetable.
  @inlinable
  func timed<Table: Timetable, C: Clock>(
    _ name: String, _ table: Table, _ clock: C
  ) -> OperatorSource<Table.Payload> where Payload == Table.Input, C.Duration == Duration {
    OperatorSource { slot in
      let timer = Timer(slot, table, clock)
      let handle = timer.relay.handle
      let part = unsafe slot.part(
        Table.Input.self, name, of: timer.relay, isLater: true
      ) { _, _, address in
        // What is emitted while the handle is suspended is dropped at once (guarantee 11).
        guard handle.isActive else { return handle.recordDrop() }
        unsafe timer.receive(address.assumingMemoryBound(to: Table.Input.self).pointee)
      }
      timer.relay.add(self.attach(part.holding(Finally { timer.sendRest() })))
      return timer.relay.observer
    }
  }
}

/// Calls a slot at the times of a timetable.
///
/// The clock measures the time. An emission takes out the payloads that are due, and adds its own:
/// `receive` does both under one lock, and sends afterwards. So payloads that slots emit meanwhile
/// follow later. While a payload is due later, one task waits for that time, and holds this object.
/// Payloads that are pending when the emitter dies are therefore still delivered (guarantee 10).
/// When the connection ends, the task is cancelled.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
@usableFromInline
final class Timer<Table: Timetable, C: Clock>: Worker, Sendable where C.Duration == Duration {
  @usableFromInline typealias Item = TimedEntry<Table.Payload>

  @usableFromInline
  struct Model: Sendable {
    @usableFromInline var table: Table
    /// The latest time that any thread has read.
    ///
    /// Threads may take the lock in another order than they read the clock.
    @usableFromInline var now: Duration = .zero
    /// The task that waits, or has waited last; nil until its maker has stored it, or if the
    /// connection has ended.
    @usableFromInline var task: Task<Void, Never>?
    @usableFromInline var isWaiting = false
    /// Whether the task sleeps, and delivers nothing.
    @usableFromInline var isAsleep = false
    /// The number of the last task.
    @usableFromInline var taskCount = 0
    /// The number of the task that ``Timer/sendRest()`` has cancelled, or that its maker cancels.
    @usableFromInline var cancelledTask = 0
    /// The priority of the last task: the highest of the payloads since it was made.
    @usableFromInline var priority = TaskPriority.background

    @inlinable
    init(_ table: Table) { self.table = table }
  }

  @usableFromInline let relay: Relay
  @usableFromInline let worklist: Worklist<Model, Item>
  @usableFromInline let clock: C
  /// The time at which the connection was made.
  ///
  /// To compare instants, Swift calls code of the clock. Under the lock, there are therefore only
  /// durations.
  @usableFromInline let start: C.Instant

  @inlinable
  init(
    _ slot: SignalSlot<Table.Payload>, _ table: Table, _ clock: C
  ) {
    let worklist = Worklist<Model, Item>(Model(table))
    relay = Relay(slot) {
      worklist.drop()
      // It takes the place of the one with payloads, which is released after the lock.
      var table = table
      let task = worklist.state.withLock { state in
        swap(&table, &state.model.table)
        return state.model.task.take()
      }
      task?.cancel()
      holdUntilHere(table)
    }
    self.worklist = worklist
    self.clock = clock
    start = clock.now
  }

  @inlinable
  var now: Duration { start.duration(to: clock.now) }

  @inlinable
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?) {
    relay.send(late: item.payload, item.cause, isOwn: isOwn)
  }

  /// Adds a payload behind those that are due, and starts a task to wait if no task waits.
  ///
  /// The task is made before any slot is called, which may take long.
  @inlinable
  func receive(_ payload: Table.Input) {
    let now = now
    let entry = (payload, Cause.later)
    // Released after the lock.
    var dropped: TimedEntry<Table.Input>?
    var task: Int?
    var raised: Task<Void, Never>?
    let priority = Task.currentPriority
    add(
      from: nil,
      changed: {
        if let task { beginWaiting(task, priority) }
        if let raised { escalate(raised, to: priority) }
      }
    ) { state, _ in
      state.model.now = max(state.model.now, now)
      var first = takeDue(&state, until: state.model.now)
      let outcome = state.model.table.receive(entry, at: state.model.now)
      dropped = outcome.dropped
      if let sent = outcome.sent {
        var cause = Cause.passing
        cause.call = sent.cause.call
        send((sent.payload, cause), &first, &state)
      }
      if !state.model.isWaiting, !relay.observer.isOver, state.model.table.next != nil {
        state.model.isWaiting = true
        state.model.taskCount += 1
        state.model.priority = priority
        task = state.model.taskCount
      } else if state.model.isWaiting, priority.rawValue > state.model.priority.rawValue {
        // If the task is being made, its maker raises it.
        state.model.priority = priority
        raised = state.model.task
      }
      return first
    }
    holdUntilHere(dropped)
  }

  /// Sends what is not to wait until it is due, because the source has ended.
  ///
  /// If nothing waits then, the task, which holds the connection, finds that when it is cancelled,
  /// or when it has delivered what it has taken.
  @inlinable
  func sendRest() {
    // What is emitted while the handle is suspended is not sent later (guarantee 11). But operators
    // between here and the slot remember it.
    let isActive = relay.handle.isActive || !relay.isLast
    var task: Task<Void, Never>?
    add(from: nil, changed: { task?.cancel() }) { state, _ in
      let rest = isActive ? state.model.table.takeRest() : nil
      if state.model.table.next == nil, state.model.isAsleep {
        (task, state.model.cancelledTask) = (state.model.task.take(), state.model.taskCount)
      }
      return rest
    }
  }

  /// Takes out every payload that is due at `time` or earlier, and returns the first one.
  ///
  /// The others follow it.
  @inlinable
  func takeDue(_ state: inout Worklist<Model, Item>.State, until time: Duration) -> Item? {
    var first: Item?
    while let next = state.model.table.next, next <= time, let due = state.model.table.takeDue() {
      send(due, &first, &state)
    }
    return first
  }

  @inlinable
  func send(_ item: Item, _ first: inout Item?, _ state: inout Worklist<Model, Item>.State) {
    if first == nil { first = item } else { state.moreItems.append(item) }
  }

  /// Makes the task with this number outside the lock, because its executor may be anybody's.
  @usableFromInline
  func beginWaiting(_ number: Int, _ priority: TaskPriority) {
    let task: Task<Void, Never> = .detached(priority: priority) { await self.wait() }
    var last: Task<Void, Never>?
    let (isOver, needed) = worklist.state.withLock { state in
      // This task may be over, and a younger one be stored.
      let isOver = relay.observer.isOver || number == state.model.cancelledTask
      let isStored = !isOver && number == state.model.taskCount
      if isStored { (last, state.model.task) = (state.model.task, task) }
      return (isOver, isStored ? state.model.priority : priority)
    }
    if isOver { task.cancel() }
    if needed.rawValue > priority.rawValue { escalate(task, to: needed) }
    holdUntilHere(last)
  }

  private func wait() async {
    var failed: Duration = .zero
    while true {
      let now = now
      var next: Duration?
      add(from: nil) { state, _ in
        state.model.isAsleep = false
        state.model.now = max(state.model.now, now)
        let first = takeDue(&state, until: max(state.model.now, failed))
        next = state.model.table.next
        state.model.isWaiting = next != nil
        return first
      }
      guard let next else { return }
      // Meanwhile, what was pending may have been sent.
      let waits = worklist.state.withLock { state in
        let waits = state.model.table.next != nil
        (state.model.isWaiting, state.model.isAsleep) = (waits, waits)
        return waits
      }
      if !waits { return }
      let deadline = start.advanced(by: next)
      do {
        try await clock.sleep(until: deadline, tolerance: nil)
      } catch {
        // If the connection has ended, nothing is pending. If the clock has failed, the payload is
        // sent as if it were due, and not held back for ever.
        failed = next
      }
    }
  }
}

/// Raises the priority of a task that waits.
///
/// A task is not replaced by one of a higher priority, because it has its turn in the clock.
@usableFromInline
func escalate(_ task: Task<Void, Never>, to priority: TaskPriority) {
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
    return task.escalatePriority(to: priority)
  }
  // To wait for a task raises it, too, as soon as that begins.
  Task<Void, Never>.detached(priority: priority) { await task.value }
}
