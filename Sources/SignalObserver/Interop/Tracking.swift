import Observation

/// Runs code that reads `@Observable` models, in turns: at first, and after each change of a
/// property or a value that the code has read.
///
/// A model announces a change once, before the change, on the thread that makes it. A change
/// therefore asks for a turn, which is always taken later, on the isolation of the slot. All
/// changes until then belong to that turn. Observation misses changes that are made while the code
/// runs. This class notices such changes of values, and asks for a turn then, too.
///
/// Ownership:
///
///     model ──▶ onChange ──▶ Tracking ──▶ Signal ──▶ Slot ╌╌weak╌╌▶ target
///                               ▲                     └──▶ Mailbox
///                               └── Turn, onResume ◀──────────┘    (while a turn is due)
///
/// When no model is left that could change, nobody holds this object, and the slot ends with its
/// emitter. While a turn is due, the mailbox holds this object, because a suspended observer drops
/// the turn.
final class Tracking: Sendable {
  /// A turn of one of the pieces of code, by its number.
  struct Turn: Sendable {
    let index: Int
    let tracking: Tracking
    fileprivate let serial: Int
  }

  private struct State {
    /// The pieces of code whose turn is due, or was dropped by a suspended observer, each with the
    /// serial of that turn.
    ///
    /// Turns with any other serial are out of date.
    var due: [Int: Int] = [:]
    /// The serial of the last turn that was taken, for each piece of code.
    ///
    /// Observation also reports changes of properties that only an earlier turn has read. Those
    /// reports are out of date.
    var taken: [Int: Int] = [:]
    var serial = 0
    var observer: SignalObserver?

    mutating func makeTurn(of index: Int, _ tracking: Tracking) -> Turn {
      serial += 1
      due[index] = serial
      return Turn(index: index, tracking: tracking, serial: serial)
    }
  }

  private let turns = Emitter<Turn>()
  private let state = Lock(State())

  /// The isolation of no slot.
  ///
  /// A turn that is asked for from here is always taken later.
  ///
  /// A turn that is asked for in its own place waits for the code that runs there, and for the
  /// deliveries that are pending there.
  private static let nowhere = ObjectIdentifier(Tracking.self)

  /// Connects the slot that takes the turns.
  func attach(_ slot: SignalSlot<Turn>) -> SignalObserver {
    let observer = turns.signal.attach(slot)
    state.withLock { $0.observer = observer }
    return observer
  }

  /// Asks for the first turns, which are taken at once if `isolation` is that of the slot.
  func start(_ count: Int, from isolation: ObjectIdentifier?) {
    for index in 0..<count { ask(for: index, after: nil, from: isolation) }
  }

  /// Takes a turn: runs `body`, and asks for the next turn when a property or a value that `body`
  /// has read changes.
  ///
  /// Returns nil if the turn is out of date, because it was taken or asked for again.
  static func take<Value>(_ turn: Turn, _ body: () -> Value) -> Value? {
    let tracking = turn.tracking
    let isDue = tracking.state.withLock { state in
      guard state.due[turn.index] == turn.serial else { return false }
      state.due[turn.index] = nil
      state.taken[turn.index] = turn.serial
      if state.due.isEmpty { tracking.setHeld(false, state) }
      return true
    }
    guard isDue else { return nil }
    var reads = unsafe ValueReads(.tracked)
    let value = unsafe withUnsafeMutablePointer(to: &reads) { reads in
      withObservationTracking {
        unsafe ValueReads.note(reads, during: body)
      } onChange: {
        tracking.ask(for: turn.index, after: turn.serial, from: nowhere)
      }
    }
    if unsafe reads.areOutdated { tracking.ask(for: turn.index, after: turn.serial, from: nowhere) }
    return value
  }

  /// Asks again for the turns that were dropped while the observer was suspended.
  func resume() {
    let turns = state.withLock { state in
      state.due.keys.sorted().map { state.makeTurn(of: $0, self) }
    }
    for turn in turns { self.turns.signal.emit(turn, from: Self.nowhere) }
  }

  /// Asks for a turn, unless one is due already, or another one has followed the one with `serial`.
  private func ask(for index: Int, after serial: Int?, from isolation: ObjectIdentifier?) {
    let turn = state.withLock { state -> Turn? in
      if state.due[index] != nil || state.taken[index] != serial { return nil }
      setHeld(true, state)
      return state.makeTurn(of: index, self)
    }
    if let turn { turns.signal.emit(turn, from: isolation) }
  }

  /// Makes the mailbox hold this object while a turn is due.
  ///
  /// The caller has the lock, so that the mailbox agrees with the state. The lock of the line is
  /// taken inside this lock, and never the other way round. This object is not released here,
  /// because the caller holds it.
  private func setHeld(_ isHeld: Bool, _ state: State) {
    guard let mailbox = state.observer?.mailbox else { return }
    if isHeld { mailbox.onResume = { self.resume() } } else { mailbox.onResume = nil }
  }
}
