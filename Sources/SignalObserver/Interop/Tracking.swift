import Observation

/// Runs code that reads `@Observable` models, in turns: at first, and when something that it read is
/// about to change.
///
/// Models tell before they change, on the thread that changes them, once. So a change asks for a
/// turn, which always comes later, on the isolation of the slot; what changes until then is part of
/// it.
///
/// Ownership:
///
///     model ──▶ onChange ──▶ Tracking ──▶ Signal ──▶ Slot ╌╌weak╌╌▶ target
///                               ▲                     └──▶ Mailbox
///                               └── Turn, Mailbox.resumed ◀───┘    (while a turn is due)
///
/// When no model is left that could change, nobody holds this, and the slot ends with its emitter.
/// While a turn is due, the mailbox holds this: a suspended observer drops the turn.
final class Tracking: Resumable {
  /// A turn of one of the pieces of code, by its number.
  struct Turn: Sendable {
    let index: Int
    let tracking: Tracking
  }

  private struct State {
    var due: Set<Int> = []
    var mailbox: Mailbox?
  }

  private let turns = Emitter<Turn>()
  private let state = Lock(State())

  /// Connects the slot that takes the turns.
  func attach(_ slot: SignalSlot<Turn>) -> SignalObserver {
    let observer = turns.signal.attach(slot)
    state.withLock { $0.mailbox = observer.mailbox }
    return observer
  }

  /// Asks for the first turns, which come at once if `isolation` is the slot's.
  func start(_ count: Int, from isolation: ObjectIdentifier?) {
    for index in 0..<count { ask(for: index, from: isolation) }
  }

  /// Takes a turn: runs `body`, and asks for the next when something that it read changes.
  ///
  /// Returns nil if the turn has been taken already.
  static func take<Value>(_ turn: Turn, _ body: () -> Value) -> Value? {
    let tracking = turn.tracking
    let taken = tracking.state.withLock { state in
      (isDue: state.due.remove(turn.index) != nil, mailbox: state.due.isEmpty ? state.mailbox : nil)
    }
    taken.mailbox?.setResumed(nil)
    guard taken.isDue else { return nil }
    return withObservationTracking(body) {
      // From nowhere, so that the turn comes later also if the change is made on its isolation.
      tracking.ask(for: turn.index, from: ObjectIdentifier(tracking))
    }
  }

  /// Asks again for what came due while the observer was suspended.
  func resume() {
    let due = state.withLock { $0.due.sorted() }
    for index in due { ask(for: index, from: ObjectIdentifier(self)) }
  }

  private func ask(for index: Int, from isolation: ObjectIdentifier?) {
    let mailbox = state.withLock { state in
      state.due.insert(index)
      return state.mailbox
    }
    mailbox?.setResumed(self)
    turns.signal.emit(Turn(index: index, tracking: self), from: isolation)
  }
}
