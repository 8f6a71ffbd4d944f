import Dispatch

/// One turn of a connection: a number of payloads of its mailbox, delivered one after the other.
@safe
struct Turn {
  /// The mailbox.
  ///
  /// While its connection has turns, the line retains the connection once. One retain for each turn
  /// would make emissions and drains wait for each other.
  let reference: Unmanaged<Mailbox>
  /// Zero, if a note is released instead.
  var count: Int32
  /// Whether the payloads are *here*, so that an emission at the place must not overtake them
  /// (guarantee 13).
  ///
  /// They were emitted there, or nobody knows where, for a slot that can run at once.
  let isHere: Bool
  var isTraced = false

  @inline(__always)
  func withMailbox<Value>(_ body: (Mailbox) -> Value) -> Value {
    unsafe reference._withUnsafeGuaranteedRef(body)
  }
}

/// The state of a line, under its lock, as is the state of the mailboxes.
///
/// It calls nobody, except a tracer and the maker of a note, which take no lock of a line. Each
/// operation returns what its caller does after the lock. Besides this value, operations change
/// what the same lock guards: the mailboxes, and the turns in the hand of the line.
struct LineState {
  /// How many payloads a drain delivers before other work has its turn (guarantee 14).
  static var limit: Int32 { 128 }

  private var turns = Fifo<Turn>()
  /// How many payloads the turns have.
  private var count = 0
  /// How many of these are gone: displaced, or of a connection that has ended.
  private var goneCount = 0
  /// How many pending payloads are here.
  private(set) var hereCount = 0
  // The three flags say what the drains do:
  //
  //                           isScheduled   isDraining   runsAgain
  //     nothing                    no           no
  //     one is on its way          yes          no
  //     one has turns in hand      no           yes          no
  //     … and another is coming    yes          yes          no
  //     … and runs again itself    yes          yes          yes
  //
  // A drain that finds another one in progress ends at once. The other one then runs again.
  private(set) var isScheduled = false
  private(set) var isDraining = false
  private var runsAgain = false
  /// The number of the drain that was scheduled last.
  private var lastScheduled = 0

  // MARK: - Adding

  /// What adding leaves for after the lock.
  struct AfterLock {
    /// The number of the drain that must be scheduled, if it is not zero, and its queue, if any.
    var drain = 0
    var queue: DispatchQueue?
    /// Holds a payload that was displaced.
    var displaced: Any?
    /// Whether the caller must check that target and actor are alive.
    ///
    /// A drain in progress will do so soon, and leaves one payload in 128 to the caller.
    var mustLook = true
  }

  /// Adds a payload, and a turn for it.
  mutating func add(_ mailbox: Mailbox, _ payload: UnsafeRawPointer, isHere: Bool) -> AfterLock {
    var result = AfterLock()
    if mailbox.state.isClosed { return result }
    if mailbox.state.bound != nil, !makeRoom(mailbox, isHere, &result) { return result }
    unsafe mailbox.operations.append(mailbox, payload)
    mailbox.state.count += 1
    if isHere {
      mailbox.state.hereCount += 1
      hereCount += 1
    }
    count += 1
    let reference = unsafe Unmanaged.passUnretained(mailbox)
    // `back` has the turn that was added last, if no drain has taken it.
    let last = turns.back.count - 1
    if last >= 0, unsafe turns.back[last].reference.toOpaque() == reference.toOpaque(),
      turns.back[last].isHere == isHere, (1..<Int32.max).contains(turns.back[last].count)
    {
      turns.back[last].count += 1
    } else {
      beginTurn(unsafe Turn(reference: reference, count: 1, isHere: isHere), mailbox)
    }
    result.mustLook = !isDraining || mailbox.state.count % Int(Self.limit) == 0
    schedule(mailbox, &result)
    return result
  }

  /// Makes room for one more payload, and returns whether there is.
  @inline(never)
  private mutating func makeRoom(
    _ mailbox: Mailbox, _ isHere: Bool, _ result: inout AfterLock
  ) -> Bool {
    guard let bound = mailbox.state.bound else { return true }
    if mailbox.state.count >= bound.limit {
      bound.dropped += 1
      bound.tracer?.displaced(isNew: bound.keepsOldest)
      if bound.keepsOldest { return false }
      bound.displaced += 1
      goneCount += 1
      mailbox.state.count -= 1
      if bound.hereFlags.popFirst() == true {
        mailbox.state.hereCount -= 1
        hereCount -= 1
      }
      result.displaced = mailbox.operations.remove(mailbox, true)
      removeGone()
    }
    bound.hereFlags.append(isHere)
    bound.tracer?.added()
    return true
  }

  /// Adds a note, which is released after the payloads that wait now, or when the connection ends.
  ///
  /// Returns nil, and makes none, if nothing waits.
  mutating func add(note: () -> AnyObject, _ mailbox: Mailbox) -> AfterLock? {
    // The drain in progress may be calling the slot: its turn is not over then.
    if mailbox.state.isClosed || mailbox.state.turns == 0 { return nil }
    let notes = mailbox.state.notes ?? Mailbox.Notes()
    notes.pending.append(note())
    mailbox.state.notes = notes
    beginTurn(unsafe Turn(reference: .passUnretained(mailbox), count: 0, isHere: false), mailbox)
    var result = AfterLock()
    schedule(mailbox, &result)
    return result
  }

  private mutating func schedule(_ mailbox: Mailbox, _ result: inout AfterLock) {
    if isScheduled { return }
    isScheduled = true
    lastScheduled += 1
    result.drain = lastScheduled
    result.queue = mailbox.state.queue
  }

  // MARK: - Turns

  private mutating func beginTurn(_ turn: Turn, _ mailbox: Mailbox) {
    if mailbox.state.turns == 0 { mailbox.retainConnection() }
    mailbox.state.turns += 1
    turns.append(turn)
  }

  /// Releasing under the lock runs nobody's code: a connection that has ended holds nothing, and
  /// any other one has another owner.
  private func endTurn(_ mailbox: Mailbox) {
    mailbox.state.turns -= 1
    if mailbox.state.turns == 0 { mailbox.releaseConnection() }
  }

  /// Removes the payloads that are gone from all turns, if they are most of the payloads.
  private mutating func removeGone() {
    guard goneCount > 64, goneCount * 2 > count else { return }
    var kept = Fifo<Turn>()
    while var turn = turns.popFirst() {
      if removeGone(from: &turn) { kept.append(turn) }
    }
    turns = kept
  }

  /// Removes the payloads that are gone from one turn, and ends the turn if nothing is left of it.
  ///
  /// Returns whether something is.
  private mutating func removeGone(from turn: inout Turn) -> Bool {
    let (isClosed, displaced) = turn.withMailbox { mailbox in
      (mailbox.state.isClosed, mailbox.state.bound?.displaced ?? 0)
    }
    // Displacing takes the oldest payloads, so they were those of the first turns of the mailbox.
    let gone = isClosed ? turn.count : min(turn.count, displaced)
    let isNote = turn.count == 0
    if gone > 0 {
      turn.withMailbox { $0.state.bound?.displaced -= gone }
      turn.count -= gone
      count -= Int(gone)
      goneCount -= Int(gone)
    }
    let isLeft = isNote ? !isClosed : turn.count > 0
    if !isLeft { turn.withMailbox { endTurn($0) } }
    return isLeft
  }

  // MARK: - Draining

  /// Begins the drain that was scheduled, and takes at most `room` payloads.
  ///
  /// Returns the number of payloads and notes taken. It returns 0, too, if another drain is in
  /// progress; that one then runs once more. After this, the next payload schedules a drain, unless
  /// the one in progress is to run again.
  mutating func begin(_ line: Line, _ room: Int32) -> Int32 {
    if isDraining {
      runsAgain = true
      return 0
    }
    let taken = take(line, room)
    runsAgain = isDraining && (line.place == .task || !turns.isEmpty)
    isScheduled = runsAgain
    return taken
  }

  /// Takes the turns of at most `room` payloads into the hand of `line`, which has this state.
  ///
  /// Their payloads move to the hands of their mailboxes.
  private mutating func take(_ line: Line, _ room: Int32) -> Int32 {
    var left = room
    while left > 0, !turns.isEmpty {
      // Outside the queue, because each access to that costs as much as the rest.
      var front = turns.takeFront()
      while left > 0, var turn = front.popLast() {
        if goneCount > 0, !removeGone(from: &turn) { continue }
        let rest = turn.count - left
        if rest > 0 {
          front.append(unsafe Turn(reference: turn.reference, count: rest, isHere: turn.isHere))
          turn.withMailbox { $0.state.turns += 1 }
          turn.count = left
        }
        if turn.count > 0 { turn.withMailbox { moveToHand(&turn, $0) } }
        unsafe line.turnsInHand.append(turn)
        left -= max(1, turn.count)
      }
      turns.putBack(front)
    }
    isDraining = unsafe !line.turnsInHand.isEmpty
    return room - left
  }

  /// Moves the payloads of `turn` to the hand of its mailbox.
  @inline(__always)
  private mutating func moveToHand(_ turn: inout Turn, _ mailbox: Mailbox) {
    let hand = mailbox.hand
    if let bound = mailbox.state.bound {
      mailbox.operations.take(mailbox, Int(turn.count))
      for _ in 0..<turn.count { _ = bound.hereFlags.popFirst() }
      if let tracer = bound.tracer {
        tracer.taken(Int(turn.count))
        turn.isTraced = true
      }
    } else if hand.count == 0 {
      mailbox.operations.take(mailbox, nil)
    }
    hand.count += turn.count
    mailbox.state.count -= Int(turn.count)
    count -= Int(turn.count)
    if turn.isHere {
      hand.hereCount += turn.count
      mailbox.state.hereCount -= Int(turn.count)
      hereCount -= Int(turn.count)
    }
  }

  /// Ends the turns in hand, which are delivered, and takes at most `room` payloads more.
  ///
  /// If it takes none, the drain has ended, and this returns whether it runs again. A drain that
  /// was scheduled for what it takes still runs, in its turn among the other work of the queue, and
  /// finds less to do.
  mutating func end(_ line: Line, taking room: Int32 = 0) -> (taken: Int32, runsAgain: Bool) {
    for turn in unsafe line.turnsInHand { turn.withMailbox { endTurn($0) } }
    unsafe line.turnsInHand.removeAll(keepingCapacity: true)
    isDraining = false
    // A drain that found this one in progress has left its work to it.
    if room > 0 { return (runsAgain ? begin(line, room) : take(line, room), false) }
    isScheduled = isScheduled || runsAgain
    return (0, runsAgain)
  }

  // MARK: - Ending

  /// Empties a mailbox for good, and returns what is to be released after the lock.
  mutating func close(_ mailbox: Mailbox) -> (old: Mailbox.State, payloads: Any?) {
    var old = Mailbox.State()
    swap(&old, &mailbox.state)
    mailbox.state.isClosed = true
    (mailbox.state.turns, mailbox.state.bound) = (old.turns, old.bound)
    goneCount += old.count
    hereCount -= old.hereCount
    let payloads = mailbox.operations.remove(mailbox, false)
    removeGone()
    return (old, payloads)
  }

  /// Drops the pending payloads of a mailbox, and each one that is added from now on.
  ///
  /// The caller releases the pending ones after the lock.
  mutating func refuse(_ mailbox: Mailbox) {
    if mailbox.state.isClosed { return }
    let bound = mailbox.state.bound ?? Bound(.unbounded)
    (bound.limit, bound.keepsOldest, bound.hereFlags) = (0, true, Fifo())
    bound.displaced += Int32(mailbox.state.count)
    mailbox.state.bound = bound
    goneCount += mailbox.state.count
    hereCount -= mailbox.state.hereCount
    (mailbox.state.count, mailbox.state.hereCount) = (0, 0)
    removeGone()
  }

  /// A connection that waits, if one does, to be ended because its actor is dead.
  mutating func nextConnection() -> SignalObserver? {
    while var turn = turns.popFirst() {
      if !removeGone(from: &turn) { continue }
      turns.putBack([turn])
      return turn.withMailbox { $0.connection }
    }
    isScheduled = false
    return nil
  }

  /// Keeps the task of the drain with this number, to cancel it when the connection ends.
  ///
  /// Returns whether the mailbox is closed.
  mutating func setTask(_ task: Task<Void, Never>, _ drain: Int, _ mailbox: Mailbox) -> Bool {
    // That drain may be over, and another one may have begun. Dropping an older handle runs no code
    // of anybody: its task is over.
    if isScheduled, drain == lastScheduled, !mailbox.state.isClosed { mailbox.state.task = task }
    return mailbox.state.isClosed
  }

  /// Takes the task of a drain that is over; nil if another is scheduled, whose task it may be.
  func takeTask(of mailbox: Mailbox) -> Task<Void, Never>? {
    isScheduled ? nil : mailbox.state.task.take()
  }
}
