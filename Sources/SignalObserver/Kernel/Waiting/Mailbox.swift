public import Dispatch

/// The payloads that wait for one connection, and what else belongs to a connection that waits.
///
/// Payloads wait in two places. Those that no drain has taken are *pending*. Those that a drain has
/// taken and not delivered are in its *hand*. When a drain takes some, all that are pending move to
/// an empty hand, and lie behind those that it has taken. If there is a bound, which may displace
/// pending ones, only those that it takes move.
///
/// `@unchecked Sendable`: see the state below.
@safe
@usableFromInline
class Mailbox: TurnTaker, @unchecked Sendable {
  @usableFromInline let operations: MailboxOperations
  @usableFromInline let hand: AnyHand
  /// Owned; see ``SignalObserver/mailboxReference``.
  let lineReference: Unmanaged<Line>
  /// The connection, which owns this; set once, by its `init`.
  ///
  /// Unretained, because a strong reference would be a cycle. A line finds a connection only by a
  /// turn, and retains the connection while it has turns of it.
  private var connectionReference: Unmanaged<SignalObserver>?
  /// Whether the slot was connected with a queue, the main queue too: no emission calls it at once.
  let hasExplicitQueue: Bool

  /// Notes, in an object, because few connections have any.
  final class Notes { var pending = Fifo<AnyObject>() }

  /// What the lock of the line guards beside the share, and the pending payloads.
  struct State {
    /// Objects that are released at their turn, or when the connection ends.
    var notes: Notes?
    /// The queue to which this connection adds a drain of the line.
    var queue: DispatchQueue?
    /// The task that drains the line of an asynchronous slot.
    var task: Task<Void, Never>?
    /// Called when the observer is resumed.
    var onResume: (@Sendable () -> Void)?
  }

  // Unchecked: the lock keeps accesses apart, and checking each would cost as much as the lock.
  @exclusivity(unchecked) private var state = State()
  @exclusivity(unchecked) private var storedShare: Share

  final var share: Share {
    @inline(__always) _read { yield unsafe storedShare }
    @inline(__always) _modify { yield unsafe &storedShare }
  }

  @usableFromInline
  init(
    _ line: Line, _ queue: DispatchQueue?, _ buffering: SignalBuffering,
    _ hand: AnyHand, _ operations: MailboxOperations
  ) {
    unsafe lineReference = Unmanaged.passRetained(line)
    hasExplicitQueue = queue != nil
    self.hand = hand
    self.operations = operations
    unsafe storedShare = Share(buffering)
    unsafe state.queue = queue
  }

  @usableFromInline
  deinit { unsafe lineReference.release() }

  final var connection: SignalObserver? {
    get { unsafe connectionReference?.takeUnretainedValue() }
    set { unsafe connectionReference = newValue.map { unsafe Unmanaged.passUnretained($0) } }
  }

  // The connection owns the mailbox.
  final func retain() { _ = unsafe connectionReference?.retain() }
  final func release() { unsafe connectionReference?.release() }

  final func withConnection(_ body: (SignalObserver) -> Void) {
    unsafe connectionReference?._withUnsafeGuaranteedRef(body)
  }

  final var line: Line { unsafe lineReference.takeUnretainedValue() }

  /// Calls `body` with what the lock of the line guards: the order of its turns, and what is this
  /// mailbox's own.
  @inline(__always)
  final func withState<Value>(_ body: (inout LineState<Mailbox>, inout State) -> Value) -> Value {
    // Without counting the reference, which this owns.
    unsafe lineReference._withUnsafeGuaranteedRef { line in
      line.withState { unsafe body(&$0, &state) }
    }
  }

  // MARK: - What waits

  /// What adding leaves for after the lock.
  struct AfterLock {
    var added: LineState<Mailbox>.Added
    /// The queue of the drain that must be scheduled, if it has one.
    var queue: DispatchQueue?
    /// Holds a payload that was displaced.
    var displaced: Any?
  }

  /// Adds a copy of the payload at this address.
  final func add(_ payload: UnsafeRawPointer, isHere: Bool) -> AfterLock {
    withState { line, own in
      var result = AfterLock(added: line.add(self, isHere: isHere))
      if result.added.displaces { result.displaced = operations.remove(self, true) }
      if result.added.isKept { unsafe operations.append(self, payload) }
      if result.added.drain != 0 { result.queue = own.queue }
      return result
    }
  }

  /// Adds a note, which is released after the payloads that wait now, or when the connection ends.
  ///
  /// Returns nil, and makes none, if nothing waits.
  final func add(note: () -> AnyObject) -> AfterLock? {
    withState { line, own in
      guard let added = line.addNote(of: self) else { return nil }
      let notes = own.notes ?? Notes()
      notes.pending.append(note())
      own.notes = notes
      return AfterLock(added: added, queue: added.drain == 0 ? nil : own.queue)
    }
  }

  final func releaseNote() {
    let note = withState { _, own in own.notes?.pending.popFirst() }
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere(note)
  }

  /// Drops the pending payloads and the notes; nothing is added after this.
  final func close() {
    let (old, payloads) = withState { line, own in
      line.close(self)
      defer { own = State() }
      return (own, operations.remove(self, false))
    }
    old.task?.cancel()
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere((old, payloads))
  }

  /// Drops what waits, and what is added from now on; called in a call of the slot.
  final func refuse() {
    line.withState { $0.refuse(self) }
    releaseHand()
  }

  /// Keeps the task of the drain with this number, to cancel it when the connection ends.
  ///
  /// Returns whether the mailbox is closed.
  final func setTask(_ task: Task<Void, Never>, _ drain: Int) -> Bool {
    withState { line, own in
      // That drain may be over, and another one may have begun. Dropping an older handle runs no
      // code of anybody: its task is over.
      if line.isNewest(drain), !line.isClosed(self) { own.task = task }
      return line.isClosed(self)
    }
  }

  /// Takes the task of a drain that is over; nil if another is scheduled, whose task it may be.
  final func takeTask() -> Task<Void, Never>? {
    withState { line, own in line.isScheduled ? nil : own.task.take() }
  }

  /// A function that is called when the observer is resumed, until the connection ends.
  final var onResume: (@Sendable () -> Void)? {
    get { withState { _, own in own.onResume } }
    set {
      var old = newValue
      withState { line, own in if !line.isClosed(self) { swap(&own.onResume, &old) } }
      holdUntilHere(old)
    }
  }

  final var queue: DispatchQueue? { withState { _, own in own.queue } }

  // MARK: - The hand

  /// Moves the payloads of `turn`, which a drain takes, to the hand; called under the lock.
  @inline(__always)
  final func fillHand(for turn: Turn<Mailbox>) {
    if turn.isBounded {
      operations.take(self, Int(turn.count))
    } else if hand.count == 0 {
      operations.take(self, nil)
    }
    hand.add(turn.count, isHere: turn.isHere)
  }

  /// Fills the hand, which is empty, with what has become pending.
  @usableFromInline
  final func fillHand() { line.locked { operations.take(self, nil) } }

  /// Releases the hand, and what is pending of a mailbox that has dropped it.
  ///
  /// Only a thread that is counted in calls it, or the one that counts out last.
  final func releaseHand() {
    hand.clear()
    unsafe operations.deliver(self, .max) { _ in true }
  }

  /// Whether a payload in hand is here (see ``Turn/isHere``), and may be delivered.
  final var hasHereInHand: Bool { hand.hereCount > 0 && connection?.isEnded == false }

  /// How many payloads wait, and how many a bound has dropped.
  final var counts: (pending: Int, dropped: Int) {
    line.withState { line in
      let (pending, dropped) = line.counts(of: self)
      return (pending + hand.count, dropped)
    }
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
  @usableFromInline let append: (Mailbox, UnsafeRawPointer) -> Void
  /// Moves this number of the oldest pending payloads to the hand; nil: all, if the hand is empty.
  @usableFromInline let take: (Mailbox, Int?) -> Void
  /// Removes the oldest pending payload alone, or all, and returns what holds them, if there are
  /// any.
  @usableFromInline let remove: (Mailbox, _ oldestAlone: Bool) -> Any?
  /// Takes this number of the oldest payloads out of the hand, one after the other, and calls the
  /// function with the address of each, until it returns false.
  @usableFromInline let deliver: (Mailbox, Int32, (UnsafeRawPointer) -> Bool) -> Void

  /// The casts are right because a mailbox is given the operations of its own type.
  @inlinable
  init<Payload>(_: Payload.Type) {
    unsafe append = { mailbox, payload in
      unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
        .pending.append(payload.assumingMemoryBound(to: Payload.self).pointee)
    }
    take = { mailbox, count in
      let mailbox = unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
      let hand = unsafe unsafeDowncast(mailbox.hand, to: Hand<Payload>.self)
      if let count {
        unsafe mailbox.pending.take(count, into: &hand.payloads)
      } else if unsafe hand.payloads.isEmpty {
        unsafe swap(&mailbox.pending, &hand.payloads)
      }
    }
    remove = { mailbox, oldestAlone in
      let mailbox = unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
      if unsafe oldestAlone || mailbox.pending.isEmpty { return unsafe mailbox.pending.popFirst() }
      var payloads = Fifo<Payload>()
      unsafe swap(&payloads, &mailbox.pending)
      return payloads
    }
    unsafe deliver = { mailbox, count, body in
      // Without counting the reference.
      let hand = unsafe Unmanaged.passUnretained(
        unsafeDowncast(mailbox.hand, to: Hand<Payload>.self))
      unsafe hand._withUnsafeGuaranteedRef { hand in
        for _ in 0..<count {
          if unsafe hand.payloads.isEmpty { mailbox.fillHand() }
          guard let payload = unsafe hand.payloads.popFirst(),
            unsafe withUnsafePointer(to: payload, { unsafe body($0) })
          else { return }
        }
      }
    }
  }
}
