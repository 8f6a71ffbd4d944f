/// One place where slots run: the order of its turns, its actor, and the turns that a drain has
/// taken.
///
/// The payloads lie in the mailboxes of the connections. Turns are taken in the order in which the
/// payloads were added, across slots and signals (guarantee 18).
///
/// `@unchecked Sendable`: the lock guards the state; a drain alone uses what it has taken, and
/// there is one drain at a time; `actor` is never written after `init` (some compilers refuse
/// `weak let`), and loading it is atomic.
@usableFromInline
final class Line: @unchecked Sendable {
  let place: Place
  /// Weak: an actor that connects one of its own objects would otherwise be kept alive by a signal
  /// that it may own.
  private(set) weak var actor: (any Actor)?
  let hasActor: Bool
  private let state: Lock<LineState<LineMailbox>>
  /// The turns that a drain has taken.
  ///
  /// Unchecked: checking each access would cost as much as the lock.
  @safe @exclusivity(unchecked)
  private(set) var takenTurns: ContiguousArray<Turn<LineMailbox>> = []

  init(_ place: Place, _ actor: (any Actor)? = nil) {
    self.place = place
    self.actor = actor
    hasActor = actor != nil
    state = Lock(LineState(awaitsCalls: place == .asyncSlot))
  }

  var isActorDead: Bool { hasActor && actor == nil }

  @inline(__always)
  func withState<Value>(_ body: (inout LineState<LineMailbox>) -> Value) -> Value {
    state.withLock(body)
  }

  /// Whether an emission that is made at the place may call the slot of `mailbox` now: no payload
  /// waits that must be delivered before (guarantee 13).
  func mayRunAtOnce(_ mailbox: LineMailbox) -> Bool {
    let (isBlocked, isDraining) = withState { ($0.pendingBlocks(mailbox), $0.isDraining) }
    return !isBlocked && !(isDraining && takenBlocks(mailbox))
  }

  /// Whether a payload that the drain in progress has taken must be delivered before.
  ///
  /// The place does one thing at a time, so that drain is calling the slot that emits, and writes
  /// nothing meanwhile.
  private func takenBlocks(_ mailbox: LineMailbox) -> Bool {
    mailbox.takenCount > 0 || takenTurns.contains { $0.taker.with { $0.hasTakenHere } }
  }

  // MARK: - Taking turns

  /// Begins a drain, as ``LineState/begin(_:_:)`` does, and moves the payloads.
  ///
  /// Returns 0, too, if it leaves them to another drain: a concurrent queue may run both.
  func begin(_ room: Int32) -> Int32 {
    withState { state in
      // Asked first: to pass the turns to `begin` is an access, and the other drain reads them.
      if state.leaveToDrainInProgress() { return 0 }
      let count = state.begin(room, &takenTurns)
      takePayloads()
      return count
    }
  }

  /// Ends the drain, as ``LineState/end(_:)`` does.
  func end() -> Bool { withState { state in state.end(&takenTurns) } }

  /// Takes more turns, as ``LineState/takeMore(_:_:)`` does, and moves the payloads.
  func takeMore(_ room: Int32) -> Int32 {
    withState { state in
      let count = state.takeMore(room, &takenTurns)
      takePayloads()
      return count
    }
  }

  @inline(__always)
  private func takePayloads() {
    for turn in takenTurns where !turn.isNote { turn.taker.with { $0.takePayloads(of: turn) } }
  }
}
