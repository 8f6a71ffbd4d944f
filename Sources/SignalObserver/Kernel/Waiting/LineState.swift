/// What has turns in a line: the mailbox of a connection, or anything else in a test.
protocol TurnTaker: AnyObject {
  /// What the line counts of it, under the lock of the line.
  var share: Share { get set }

  /// Keeps it alive from its first turn to ``release()``, after its last one.
  ///
  /// Turns do not count their references: emissions and drains would wait for each other.
  func retain()
  func release()
}

/// What a line counts of one connection; only this file changes it.
struct Share {
  fileprivate(set) var isClosed = false
  /// How many turns the line has of the connection, those that a drain has taken included.
  fileprivate(set) var turns: Int32 = 0
  /// How many notes have a turn that no drain has taken.
  fileprivate var noteCount: Int32 = 0
  /// How many payloads are pending.
  fileprivate(set) var numberPending = 0
  /// How many of them are here (see ``Turn/isHere``).
  fileprivate var hereCount = 0
  /// Nil for most connections.
  fileprivate var ledger: Ledger?

  init(_ buffering: SignalBuffering) {
    ledger = buffering == .unbounded ? nil : Ledger(buffering)
  }

  /// Whether a drain moves only what it takes, because each payload has an account.
  var movesOnlyTaken: Bool { ledger != nil }

  /// How many payloads were not kept.
  var numberDropped: Int { ledger?.dropped ?? 0 }

  var tracer: (any MailboxTracer)? { ledger?.tracer }

  /// Sets the tracer of the payloads, or removes it, and returns what is released after the lock.
  mutating func setTracer(_ make: (_ pendingCount: Int) -> (any MailboxTracer)?) -> Any? {
    if isClosed { return nil }
    let ledger = ledger ?? Ledger(.unbounded)
    let old = (self.ledger, ledger.tracer)
    ledger.tracer = make(numberPending)
    self.ledger = ledger.limit == .max && ledger.tracer == nil ? nil : ledger
    return old
  }
}

/// An account of each single payload of a connection whose payloads may be displaced, are refused,
/// or are traced.
private final class Ledger {
  /// Zero, if nothing more is kept.
  var limit: Int
  var keepsOldest: Bool
  /// How many payloads were not kept.
  var dropped = 0
  /// How many payloads were displaced, but are still in the counts of turns.
  ///
  /// Unused once the mailbox is closed.
  var displacedInTurns = 0
  /// Of each pending payload, whether it is here.
  var hereFlags = Fifo<Bool>()
  var tracer: (any MailboxTracer)?

  init(_ buffering: SignalBuffering) {
    limit = buffering.limit
    keepsOldest = buffering.keepsOldest
  }
}

/// One turn of a connection: a number of its payloads, delivered one after the other.
struct Turn<Taker: TurnTaker> {
  /// While it has turns, the line keeps it alive.
  let taker: Uncounted<Taker>
  /// Zero for a note, which lies in the mailbox, and is released instead.
  var count: Int32
  /// Whether the payloads are *here*, so that an emission at the place must not overtake them
  /// (guarantee 13).
  ///
  /// They were emitted there, or nobody knows where, for a slot that can run at once.
  let isHere: Bool
  var isTraced = false

  var isNote: Bool { count == 0 }
}

/// How many payloads a drain delivers before other work has its turn (guarantee 14).
let drainLimit: Int32 = 128

/// What adding a turn leaves to the caller.
struct Added: OptionSet {
  let rawValue: UInt8

  /// The caller must schedule a drain.
  static let schedules = Added(rawValue: 1)
  /// The payload is kept.
  static let isKept = Added(rawValue: 2)
  /// The oldest pending payload makes way.
  static let displaces = Added(rawValue: 4)
  /// The caller must check that target and actor are alive.
  ///
  /// Checking costs a third of adding. So the caller checks at only one payload in 128 while a
  /// drain is in progress, which will check soon, or while more than 1,024 payloads are pending,
  /// unless their number has a bound.
  static let mustLook = Added(rawValue: 8)
}

/// The order of the turns at one place, without the payloads.
///
/// A line has it under its lock. It calls nobody, except a tracer, which takes no lock of a line.
/// Each operation returns what its caller does to the payloads under the lock, and what after it.
struct LineState<Taker: TurnTaker> {
  private var turns = Fifo<Turn<Taker>>()
  /// How many payloads and notes are gone, but still have turns: displaced payloads, and all of a
  /// connection that has ended.
  private var goneCount = 0
  /// How many pending payloads are here.
  private var hereCount = 0

  /// Whether a drain has taken turns.
  private(set) var isDraining = false
  /// The next drain.
  ///
  /// While there are turns, it is not `none`, so none of them is forgotten.
  private var next = NextDrain.none
  /// Whether drains await each call: one in progress takes all that is added, and no other is
  /// scheduled meanwhile.
  private let awaitsCalls: Bool

  /// Without a drain in progress, it is one of the first two.
  private enum NextDrain {
    /// Whoever adds a turn schedules it, even while a drain is in progress.
    case none
    /// It is on its way.
    case scheduled
    /// The drain in progress schedules it when it ends, or takes more itself.
    case afterThisOne
  }

  init(awaitsCalls: Bool = false) { self.awaitsCalls = awaitsCalls }

  var isDrainDue: Bool { next != .none }

  // MARK: - Adding

  /// Adds a turn for one payload.
  @inline(__always)
  mutating func add(_ taker: Taker, isHere: Bool) -> Added {
    if taker.share.isClosed { return [] }
    var added = Added.mustLook
    if taker.share.ledger != nil, !makeRoom(taker, isHere, &added) { return added }
    added.insert(.isKept)
    taker.share.numberPending += 1
    if isHere {
      taker.share.hereCount += 1
      hereCount += 1
    }
    // `back` has the turn that was added last, if no drain has taken it.
    let last = turns.back.count - 1
    if last >= 0, turns.back[last].taker == Uncounted(taker),
      turns.back[last].isHere == isHere, !turns.back[last].isNote, turns.back[last].count < .max
    {
      turns.back[last].count += 1
    } else {
      beginTurn(taker, count: 1, isHere: isHere)
    }
    // With a bound, the number may stay the same for ever.
    let isRare = (isDraining || taker.share.numberPending > 1024) && taker.share.ledger == nil
    if isRare, taker.share.numberPending % Int(drainLimit) != 0 { added.remove(.mustLook) }
    if claimSchedule() { added.insert(.schedules) }
    return added
  }

  /// Makes room for one more payload, and returns whether there is.
  @inline(never)
  private mutating func makeRoom(_ taker: Taker, _ isHere: Bool, _ added: inout Added) -> Bool {
    guard let ledger = taker.share.ledger else { return true }
    if taker.share.numberPending >= ledger.limit {
      ledger.dropped += 1
      ledger.tracer?.displaced(isNew: ledger.keepsOldest)
      if ledger.keepsOldest { return false }
      ledger.displacedInTurns += 1
      goneCount += 1
      taker.share.numberPending -= 1
      if ledger.hereFlags.popFirst() == true {
        taker.share.hereCount -= 1
        hereCount -= 1
      }
      added.insert(.displaces)
      removeGone()
    }
    ledger.hereFlags.append(isHere)
    ledger.tracer?.added()
    return true
  }

  /// Adds the turn of a note behind the other turns of the connection; returns nil if it has none.
  mutating func addNote(of taker: Taker) -> Added? {
    // The turn for which a drain is calling the slot is not over.
    if taker.share.isClosed || taker.share.turns == 0 { return nil }
    beginTurn(taker, count: 0, isHere: false)
    taker.share.noteCount += 1
    return claimSchedule() ? .schedules : []
  }

  /// Whether the caller schedules the next drain.
  private mutating func claimSchedule() -> Bool {
    if isDrainDue { return false }
    next = .scheduled
    return true
  }

  // MARK: - Turns

  private mutating func beginTurn(_ taker: Taker, count: Int32, isHere: Bool) {
    if taker.share.turns == 0 { taker.retain() }
    taker.share.turns += 1
    turns.append(Turn(taker: Uncounted(taker), count: count, isHere: isHere))
  }

  /// Releasing under the lock runs nobody's code: a connection that has ended holds nothing, and
  /// any other one has another owner.
  private func endTurn(_ turn: Turn<Taker>) {
    let isLast = turn.taker.with { taker in
      taker.share.turns -= 1
      return taker.share.turns == 0
    }
    // Not inside `with`, which promises that the taker lives.
    if isLast { turn.taker.object.release() }
  }

  /// Removes what is gone from all turns, if there is enough of it for so many turns to look at.
  private mutating func removeGone() {
    guard goneCount > 64, goneCount * 4 > turns.count else { return }
    var kept = Fifo<Turn<Taker>>()
    while var turn = turns.popFirst() { if shorten(&turn) { kept.append(turn) } }
    turns = kept
  }

  /// Removes what is gone from one turn, and ends the turn if nothing is left of it.
  ///
  /// Returns whether something is.
  private mutating func shorten(_ turn: inout Turn<Taker>) -> Bool {
    let (isClosed, ledger) = turn.taker.with { ($0.share.isClosed, $0.share.ledger) }
    if turn.isNote {
      if !isClosed { return true }
      goneCount -= 1
      endTurn(turn)
      return false
    }
    // Displacing takes the oldest payloads, so they were those of the first turns of the mailbox.
    let gone = isClosed ? turn.count : Int32(min(Int(turn.count), ledger?.displacedInTurns ?? 0))
    if gone > 0 {
      ledger?.displacedInTurns -= Int(gone)
      turn.count -= gone
      goneCount -= Int(gone)
    }
    if turn.count == 0 { endTurn(turn) }
    return turn.count > 0
  }

  // MARK: - Draining

  /// Leaves the turns to the drain in progress, which then runs once more; returns whether there is
  /// one, as on a concurrent queue.
  mutating func leaveToDrainInProgress() -> Bool {
    if isDraining { next = .afterThisOne }
    return isDraining
  }

  /// Begins the drain that was scheduled: moves the turns of at most `room` payloads to `taken`,
  /// which is empty.
  ///
  /// Call it if ``leaveToDrainInProgress()`` is false. It returns the number of payloads and notes
  /// taken. After this, the next payload schedules a drain, unless this one is to run once more.
  mutating func begin(_ room: Int32, _ taken: inout ContiguousArray<Turn<Taker>>) -> Int32 {
    let count = take(room, &taken)
    isDraining = !taken.isEmpty
    next = isDraining && (awaitsCalls || !turns.isEmpty) ? .afterThisOne : .none
    return count
  }

  private mutating func take(_ room: Int32, _ taken: inout ContiguousArray<Turn<Taker>>) -> Int32 {
    var left = room
    while left > 0, !turns.isEmpty {
      // Outside the queue, because each access to that costs as much as the rest.
      var front = turns.takeFront()
      while left > 0, var turn = front.popLast() {
        if goneCount > 0, !shorten(&turn) { continue }
        let rest = turn.count - left
        if rest > 0 {
          front.append(Turn(taker: turn.taker, count: rest, isHere: turn.isHere))
          turn.taker.with { $0.share.turns += 1 }
          turn.count = left
        }
        turn.taker.with { countTaken(&turn, of: $0) }
        taken.append(turn)
        left -= max(1, turn.count)
      }
      turns.putBack(front)
    }
    return room - left
  }

  @inline(__always)
  private mutating func countTaken(_ turn: inout Turn<Taker>, of taker: Taker) {
    if turn.isNote {
      taker.share.noteCount -= 1
      return
    }
    if let ledger = taker.share.ledger {
      for _ in 0..<turn.count { _ = ledger.hereFlags.popFirst() }
      ledger.tracer?.taken(Int(turn.count))
      turn.isTraced = ledger.tracer != nil
    }
    taker.share.numberPending -= Int(turn.count)
    if turn.isHere {
      taker.share.hereCount -= Int(turn.count)
      hereCount -= Int(turn.count)
    }
  }

  /// Ends the drain in progress, which has delivered the turns in `taken`; returns whether the
  /// caller schedules it once more.
  mutating func end(_ taken: inout ContiguousArray<Turn<Taker>>) -> Bool {
    endTurns(&taken)
    isDraining = false
    if next != .afterThisOne { return false }
    next = .scheduled
    return true
  }

  /// Moves the turns of at most `room` payloads more to `taken`, whose turns are delivered.
  ///
  /// If it takes none, the drain has ended. A drain that was scheduled for what this takes still
  /// runs, in its turn among the other work of the queue, and finds less to do.
  mutating func takeMore(_ room: Int32, _ taken: inout ContiguousArray<Turn<Taker>>) -> Int32 {
    endTurns(&taken)
    // This one awaits calls, or has left turns, or another drain has left its work to it.
    if next == .afterThisOne { return begin(room, &taken) }
    let count = take(room, &taken)
    isDraining = !taken.isEmpty
    return count
  }

  private func endTurns(_ taken: inout ContiguousArray<Turn<Taker>>) {
    for turn in taken { endTurn(turn) }
    taken.removeAll(keepingCapacity: true)
  }

  // MARK: - Ending

  /// Drops the pending payloads of a connection for good, and returns its tracer.
  mutating func close(_ taker: Taker) -> (any MailboxTracer)? {
    taker.share.isClosed = true
    goneCount += Int(taker.share.noteCount)
    forgetPending(of: taker)
    return taker.share.ledger?.tracer.take()
  }

  /// Drops the pending payloads of a connection, and each one that is added from now on.
  mutating func refuse(_ taker: Taker) {
    if taker.share.isClosed { return }
    let ledger = taker.share.ledger ?? Ledger(.unbounded)
    (ledger.limit, ledger.keepsOldest, ledger.hereFlags) = (0, true, Fifo())
    // As if each had been displaced: `shorten` takes them out of the turns.
    ledger.displacedInTurns += taker.share.numberPending
    taker.share.ledger = ledger
    forgetPending(of: taker)
  }

  private mutating func forgetPending(of taker: Taker) {
    goneCount += taker.share.numberPending
    hereCount -= taker.share.hereCount
    (taker.share.numberPending, taker.share.hereCount) = (0, 0)
    removeGone()
  }

  // MARK: - Questions

  /// Whether a payload is pending that a payload of `taker`, emitted at the place, must not
  /// overtake.
  func pendingBlocks(_ taker: Taker) -> Bool {
    taker.share.numberPending > 0 || hereCount > 0
  }
}
