/// One place where slots run: the lock of its turns, its actor, and what a drain has in hand.
///
/// The payloads lie in the mailboxes of the connections. Turns are taken in the order in which the
/// payloads were added, across slots and signals (guarantee 18).
///
/// `@unchecked Sendable`: the lock guards the state; a drain alone uses what is in hand, and there
/// is one drain at a time; `actor` is never written after `init` (some compilers refuse
/// `weak let`), and loading it is atomic.
@usableFromInline
final class Line: @unchecked Sendable {
  let place: Place
  /// Weak: an actor that connects one of its own objects would otherwise be kept alive by a signal
  /// that it may own.
  private(set) weak var actor: (any Actor)?
  let hasActor: Bool
  private let state = Lock(LineState())
  // The turns that a drain has taken. Unchecked: checking each access would cost as much as the
  // lock.
  @exclusivity(unchecked) var turnsInHand: ContiguousArray<Turn> = []

  init(_ place: Place, _ actor: (any Actor)? = nil) {
    self.place = place
    self.actor = actor
    hasActor = actor != nil
  }

  var isActorDead: Bool { hasActor && actor == nil }

  func withState<Value>(_ body: (inout LineState) -> Value) -> Value { state.withLock(body) }

  /// Whether an emission that is made at the place may call the slot of `mailbox` now: no payload
  /// waits that must be delivered before (guarantee 13).
  func mayRunAtOnce(_ mailbox: Mailbox) -> Bool {
    let (waits, isDraining) = withState { state in
      (mailbox.state.isClosed || mailbox.state.count > 0 || state.hereCount > 0, state.isDraining)
    }
    if waits { return false }
    // The place does one thing at a time, so a drain in progress is calling the slot that emits.
    return unsafe !isDraining
      || mailbox.hand.count == 0
        && !turnsInHand.contains { $0.withMailbox { $0.hasHereInHand } }
  }
}
