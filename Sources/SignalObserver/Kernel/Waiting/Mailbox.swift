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
class Mailbox: @unchecked Sendable {
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

  /// What the lock of the line guards, as it does the pending payloads.
  struct State {
    var isClosed = false
    /// How many turns the line has of the connection, those in the hand of a drain included.
    var turns: Int32 = 0
    /// How many payloads are pending.
    var count = 0
    /// How many of them are here (see ``Turn/isHere``).
    var hereCount = 0
    /// Objects that are released at their turn, or when the connection ends.
    var notes: Notes?
    /// The queue to which this connection adds a drain of the line.
    var queue: DispatchQueue?
    /// The task that drains the line of an asynchronous slot.
    var task: Task<Void, Never>?
    /// Called when the observer is resumed.
    var onResume: (@Sendable () -> Void)?
    var bound: Bound?
  }

  // Unchecked: the lock keeps accesses apart, and checking each would cost as much as the lock.
  @exclusivity(unchecked) private var storedState = State()

  final var state: State {
    @inline(__always) _read { yield unsafe storedState }
    @inline(__always) _modify { yield unsafe &storedState }
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
    state.bound = buffering == .unbounded ? nil : Bound(buffering)
    state.queue = queue
  }

  @usableFromInline
  deinit { unsafe lineReference.release() }

  final var connection: SignalObserver? {
    get { unsafe connectionReference?.takeUnretainedValue() }
    set { unsafe connectionReference = newValue.map { unsafe Unmanaged.passUnretained($0) } }
  }

  final func retainConnection() { _ = unsafe connectionReference?.retain() }
  final func releaseConnection() { unsafe connectionReference?.release() }

  final func withConnection(_ body: (SignalObserver) -> Void) {
    unsafe connectionReference?._withUnsafeGuaranteedRef(body)
  }

  final var line: Line { unsafe lineReference.takeUnretainedValue() }

  /// Drops the pending payloads and the notes; nothing is added after this.
  final func close() {
    let (old, payloads) = line.withState { $0.close(self) }
    old.task?.cancel()
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere((old, payloads))
  }

  /// Drops what waits, and what is added from now on; called in a call of the slot.
  final func refuse() {
    line.withState { $0.refuse(self) }
    hand.hereCount = 0
    releaseHand()
  }

  /// Fills the hand, which is empty, with what has become pending.
  @usableFromInline
  final func fillHand() { line.withState { _ in operations.take(self, nil) } }

  /// Releases the hand, and what is pending of a mailbox that has dropped it.
  ///
  /// Only a thread that is counted in calls it, or the one that counts out last.
  final func releaseHand() {
    hand.count = 0
    unsafe operations.deliver(self, .max) { _ in true }
  }

  /// Whether a payload in hand is here (see ``Turn/isHere``), and may be delivered.
  final var hasHereInHand: Bool { hand.hereCount > 0 && connection?.isEnded == false }

  /// How many payloads wait, and how many a bound has dropped.
  final var counts: (pending: Int, dropped: Int) {
    line.withState { _ in (state.count + Int(hand.count), state.bound?.dropped ?? 0) }
  }
}

/// How many payloads of one connection may be pending; guarded by the lock of the line.
final class Bound {
  /// Zero, if nothing more is kept.
  var limit: Int
  var keepsOldest: Bool
  /// How many payloads were not kept.
  var dropped = 0
  /// How many payloads were displaced, but are still in the counts of turns.
  ///
  /// Unused once the mailbox is closed.
  var displaced: Int32 = 0
  /// Of each pending payload, whether it is here.
  var hereFlags = Fifo<Bool>()
  var tracer: (any MailboxTracer)?

  init(_ buffering: SignalBuffering) {
    limit = buffering.limit
    keepsOldest = buffering.keepsOldest
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
