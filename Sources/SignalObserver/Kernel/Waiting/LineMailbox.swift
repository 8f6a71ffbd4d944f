public import Dispatch

/// The mailbox of a connection, which has turns in the line of its place.
///
/// A payload is *pending* until a drain takes it, and *taken* until the call of its slot begins.
/// Payloads wait in two queues: an emission appends them to `incoming` under the lock, and a drain
/// removes them from `outgoing` without it. When a drain takes some and `outgoing` is empty, the
/// two are swapped. So `outgoing` may have more than the drain has taken: the rest is pending, too.
/// Or it has fewer: the rest of what is taken lies in `incoming` until the drain needs it. With a
/// bound, which may displace pending ones, only those that are taken move to `outgoing`.
///
/// A drain fills `outgoing` under the lock, and takes nothing from a closed mailbox. Only a thread
/// that the connection counts in removes from it: the drain, or the last one out.
///
/// `@unchecked Sendable`: see the states below.
@safe
@usableFromInline
class LineMailbox: Mailbox, TurnTaker, @unchecked Sendable {
  /// What few connections have, in an object, so that it takes no room in the others.
  final class Extras {
    /// Objects that are released at their turn, or when the connection ends.
    var notes = Fifo<AnyObject>()
    /// Called when the observer is resumed.
    var onResume: (@Sendable () -> Void)?
    /// Holds displaced payloads, until a thread that has displaced one, or closing, releases them
    /// after the lock.
    var displacedPayloads: Any?
  }

  /// What the lock of the line guards beside the share, and the pending payloads.
  struct State {
    var extras: Extras?
    /// The queue to which this connection adds a drain of the line; nil for other places.
    var queue: DispatchQueue?
    /// The task that drains the line of an asynchronous slot.
    var task: Task<Void, Never>?
    /// The number of the newest such task, which may wrap around.
    var taskNumber: Int32 = 0

    /// Makes them if they are not there.
    mutating func withExtras<Result>(_ body: (Extras) -> Result) -> Result {
      let found = extras ?? Extras()
      extras = found
      return body(found)
    }
  }

  /// Owned, and released at the end.
  let lineReference: Uncounted<Line>
  // Unchecked: the lock keeps accesses apart, and checking each would cost as much as the lock.
  @safe @exclusivity(unchecked) private var state = State()
  /// Whether no emission calls the slot at once: it was given a queue, which may be the main queue.
  /// (No emission is made in the task of an asynchronous slot.)
  ///
  /// It fits in the last bytes of the state.
  let alwaysWaits: Bool
  @safe @exclusivity(unchecked) final var share: Share

  // Under the lock, emissions and drains write what is above. Outside of it, a drain writes what is
  // below, for each payload. The operations keep the two on different cache lines, where these have
  // 64 bytes: threads that write to one line slow each other down.
  @usableFromInline let operations: MailboxOperations
  /// How many payloads are taken, and how many of these are here, in one word.
  ///
  /// The drain, the last one out, and a call that refuses what follows write it, one after the
  /// other. Relaxed, because others only describe it.
  private let takenCounts = Atomic(0)
  // A drain takes at most 128 payloads.
  private static var oneTaken: Int { 1 }
  private static var oneHere: Int { 1 << 16 }

  @usableFromInline
  init(
    _ line: Line, _ queue: DispatchQueue?, _ buffering: SignalBuffering,
    _ operations: MailboxOperations
  ) {
    lineReference = Uncounted(retaining: line)
    alwaysWaits = queue != nil
    self.operations = operations
    share = Share(buffering)
    state.queue = line.place == .queue ? queue : nil
    super.init()
  }

  @usableFromInline
  deinit { lineReference.release() }

  // The connection owns the mailbox, and while it has turns, the line owns the connection.
  final func retain() { connectionReference?.retain() }
  final func release() { connectionReference?.release() }

  final var line: Line { lineReference.object }

  /// Calls `body` with what the lock of the line guards: the order of its turns, and what is this
  /// mailbox's own.
  @inline(__always)
  final func withState<Value>(_ body: (inout LineState<LineMailbox>, inout State) -> Value) -> Value
  {
    lineReference.with { line in line.withState { body(&$0, &state) } }
  }

  // MARK: - Receiving

  // Not inlined, to keep the stack of nested emissions small.
  @inline(never)
  final override func receive(
    _ payload: UnsafeRawPointer, _ emission: OnStack<Emission>,
    for connection: SignalObserver
  ) {
    guard connection.isActive else { return }
    lineReference.with { line in
      let isHere = alwaysWaits ? false : line.place.isPlace(of: emission)
      if isHere == true, !line.isActorDead, line.mayRunAtOnce(self) {
        return unsafe connection.callIfActive(payload)
      }
      // If nobody knows where it was made, the payload counts as here, which keeps the order.
      let (added, queue) = unsafe add(payload, isHere: isHere != false)
      line.act(on: added, queue, for: self)
      // After the payload was added: this may run anybody's code, and that code may emit.
      if added.contains(.mustLook), connection.isTargetDead || line.isActorDead {
        connection.end()
      }
    }
  }

  final override var isPlaceDead: Bool { line.isActorDead }

  // MARK: - What waits

  /// Adds a copy of the payload at this address; ``Line/act(on:_:for:)`` must follow.
  ///
  /// It also returns the queue for the drain that is to be scheduled.
  final func add(
    _ payload: UnsafeRawPointer, isHere: Bool
  ) -> (added: Added, queue: Uncounted<DispatchQueue>?) {
    withState { order, own in
      let added = order.add(self, isHere: isHere)
      if added.contains(.displaces) { displaceOldest(&own) }
      if added.contains(.isKept) { unsafe operations.append(self, payload) }
      return (added, added.contains(.schedules) ? retainedQueue(own) : nil)
    }
  }

  /// The queue, if there is one, retained: closing drops that of the mailbox.
  @inline(never)
  private func retainedQueue(_ own: borrowing State) -> Uncounted<DispatchQueue>? {
    own.queue.map { Uncounted(retaining: $0) }
  }

  @inline(never)
  private func displaceOldest(_ own: inout State) {
    guard let oldest = operations.remove(self, .oldest) else { return }
    // Another thread may have displaced one, and not released it yet.
    own.withExtras { $0.displacedPayloads = $0.displacedPayloads.map { ($0, oldest) } ?? oldest }
  }

  /// Releases what was displaced.
  @inline(never)
  final func releaseDisplaced() {
    let displaced = withState { _, own in own.extras?.displacedPayloads.take() }
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere(displaced)
  }

  final override func addNote(_ note: () -> AnyObject) -> Bool {
    var queue: Uncounted<DispatchQueue>?
    let added = withState { order, own -> Added? in
      guard let added = order.addNote(of: self) else { return nil }
      own.withExtras { $0.notes.append(note()) }
      if added.contains(.schedules) { queue = retainedQueue(own) }
      return added
    }
    guard let added else { return false }
    line.act(on: added, queue, for: self)
    return true
  }

  final func releaseNote() {
    let note = withState { _, own in own.extras?.notes.popFirst() }
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere(note)
  }

  final override func close() {
    // Not the whole state: the compiler releases a structure through its metadata (300
    // instructions).
    var (extras, queue) = (Extras?.none, DispatchQueue?.none)
    var (task, tracer) = (Task<Void, Never>?.none, (any MailboxTracer)?.none)
    let payloads = withState { order, own in
      (extras, queue, task) = (own.extras.take(), own.queue.take(), own.task.take())
      tracer = order.close(self)
      return operations.remove(self, .all)
    }
    task?.cancel()
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere((extras, queue, task))
    holdUntilHere(tracer)
    holdUntilHere(payloads)
  }

  final override func refuse() {
    let payloads = withState { order, _ in
      order.refuse(self)
      return operations.remove(self, .all)
    }
    releaseOutgoing()
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere(payloads)
  }

  /// Returns the number of a task that is about to drain the line.
  final func countTask() -> Int32 {
    withState { _, own in
      own.taskNumber &+= 1
      return own.taskNumber
    }
  }

  /// Keeps the task with this number, to cancel it when the connection ends.
  ///
  /// Returns whether the mailbox is closed.
  final func setTask(_ task: Task<Void, Never>, _ number: Int32) -> Bool {
    withState { order, own in
      // That task may be over, and another one may have begun. Dropping an older handle runs no
      // code of anybody: its task is over.
      if number == own.taskNumber, order.isDrainDue, !share.isClosed { own.task = task }
      return share.isClosed
    }
  }

  /// Takes the task of a drain that is over; nil if another is scheduled, whose task it may be.
  final func removeTask() -> Task<Void, Never>? {
    withState { order, own in order.isDrainDue ? nil : own.task.take() }
  }

  /// A function that is called when the observer is resumed, until the connection ends.
  final var onResume: (@Sendable () -> Void)? {
    get { withState { _, own in own.extras?.onResume } }
    set {
      var old = newValue
      withState { _, own in if !share.isClosed { own.withExtras { swap(&$0.onResume, &old) } } }
      holdUntilHere(old)
    }
  }

  final var queue: DispatchQueue? { withState { _, own in own.queue } }

  // MARK: - Taking

  /// Takes the payloads of `turn`, which a drain has taken; called under the lock.
  @inline(__always)
  final func takePayloads(of turn: Turn<LineMailbox>) {
    operations.moveToOutgoing(self, share.movesOnlyTaken ? turn.count : nil)
    addToTaken(turn.count, isHere: turn.isHere)
  }

  /// Moves what has become pending to the outgoing ones, of which there are none.
  @usableFromInline
  final func refillOutgoing() { withState { _, _ in operations.moveToOutgoing(self, nil) } }

  // Nothing is incoming: the mailbox is closed, or refuses.
  final override func releaseOutgoing() {
    takenCounts.store(0, ordering: .relaxed)
    unsafe operations.consume(self, .max) { _ in true }
  }

  /// How many payloads are taken.
  final var takenCount: Int { takenCounts.load(ordering: .relaxed) % Self.oneHere }

  /// Counts so many payloads more or less as taken, all of them here or none.
  @inline(__always)
  final func addToTaken(_ change: Int32, isHere: Bool) {
    let old = takenCounts.load(ordering: .relaxed)
    let one = isHere ? Self.oneTaken + Self.oneHere : Self.oneTaken
    takenCounts.store(old + Int(change) * one, ordering: .relaxed)
  }

  /// Whether a payload that was taken is here (see ``Turn/isHere``), and may be delivered.
  final var hasTakenHere: Bool {
    takenCounts.load(ordering: .relaxed) >= Self.oneHere && connection?.isOver == false
  }

  final override var counts: (waiting: Int, dropped: Int) {
    withState { _, _ in (share.numberPending + takenCount, share.numberDropped) }
  }
}

extension LineMailbox {
  final var tracer: (any MailboxTracer)? { withState { _, _ in share.tracer } }

  /// Sets the tracer of the payloads, or removes it.
  final func setTracer(_ make: (_ pendingCount: Int) -> (any MailboxTracer)?) {
    let old = withState { _, _ in share.setTracer(make) }
    // After the lock.
    holdUntilHere(old)
  }
}

extension SignalObserver {
  /// The mailbox: the cast is right because there are no other mailboxes.
  var lineMailbox: LineMailbox? {
    mailbox.map { unsafe unsafeDowncast($0, to: LineMailbox.self) }
  }
}

// MARK: - Payloads

/// What is done with the payloads of a mailbox, which is the first argument of each function.
///
/// Code that knows their type makes these functions. A method of a generic class of this module
/// would not be specialised for types of another module, and would look up their layout at each
/// step (320 ns against 30 for a queued delivery).
@safe
@usableFromInline
struct MailboxOperations {
  /// Adds a copy of the payload at this address to the pending ones.
  @usableFromInline let append: (LineMailbox, UnsafeRawPointer) -> Void
  /// Moves at most so many of the oldest pending payloads to the outgoing ones: behind them, others
  /// may yet be displaced, or must be traced.
  ///
  /// With nil, it swaps the two, unless there are outgoing ones: then those are what the drain
  /// takes.
  @usableFromInline let moveToOutgoing: (LineMailbox, Int32?) -> Void
  /// Removes the oldest payload of `incoming`, or all, and returns what holds them, or nil.
  @usableFromInline let remove: (LineMailbox, Removal) -> Any?
  @usableFromInline
  enum Removal { case oldest, all }
  /// Takes out this number of the oldest payloads, one after the other, and calls the function with
  /// the address of each, until it returns false.
  @usableFromInline let consume: (LineMailbox, Int32, (UnsafeRawPointer) -> Bool) -> Void
}
