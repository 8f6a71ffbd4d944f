import Observation

/// Runs code that reads `@Observable` models, in turns: at first, and when something that it read
/// is about to change.
///
/// Models tell before they change, on the thread that changes them, once. So a change asks for a
/// turn, which always comes later, on the isolation of the slot; what changes until then is part of
/// it. Observation misses what changes while the code runs; of values, that is noticed here, and
/// asks for a turn as well.
///
/// Ownership:
///
///     model ──▶ onChange ──▶ Tracking ──▶ Signal ──▶ Slot ╌╌weak╌╌▶ target
///                               ▲                     └──▶ Berth
///                               └── Turn, Berth.resumed ◀─────┘    (while a turn is due)
///
/// When no model is left that could change, nobody holds this, and the slot ends with its emitter.
/// While a turn is due, the berth holds this: a suspended observer drops the turn.
final class Tracking: Resumable {
  /// A turn of one of the pieces of code, by its number.
  struct Turn: Sendable {
    let index: Int
    let tracking: Tracking
    fileprivate let serial: Int
  }

  private struct State {
    /// The pieces of code whose turn is on its way, or was dropped by a suspended observer, and the
    /// serial of that turn: others are out of date.
    var due: [Int: Int] = [:]
    /// The serial of the turn that was taken last, by piece of code: what an earlier one has read
    /// is out of date, too, though Observation will tell of it.
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

  /// What no slot runs on, so that a turn comes later, also if it is asked for where it belongs:
  /// after the code that runs there now, and what waits there already.
  private static let nowhere = ObjectIdentifier(Tracking.self)

  /// Connects the slot that takes the turns.
  func attach(_ slot: SignalSlot<Turn>) -> SignalObserver {
    let observer = turns.signal.attach(slot)
    state.withLock { $0.observer = observer }
    return observer
  }

  /// Asks for the first turns, which come at once if `isolation` is the slot's.
  func start(_ count: Int, from isolation: ObjectIdentifier?) {
    for index in 0..<count { ask(for: index, after: nil, from: isolation) }
  }

  /// Takes a turn: runs `body`, and asks for the next when something that it read changes.
  ///
  /// Returns nil if the turn has been taken already.
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
    var reads = unsafe ValueReads()
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

  /// Asks again for what came due while the observer was suspended.
  func resume() {
    let turns = state.withLock { state in
      state.due.keys.sorted().map { state.makeTurn(of: $0, self) }
    }
    for turn in turns { self.turns.signal.emit(turn, from: Self.nowhere) }
  }

  /// Asks for a turn, unless one is on its way or another one has followed the one with `serial`.
  private func ask(for index: Int, after serial: Int?, from isolation: ObjectIdentifier?) {
    let turn = state.withLock { state -> Turn? in
      if state.due[index] != nil || state.taken[index] != serial { return nil }
      setHeld(true, state)
      return state.makeTurn(of: index, self)
    }
    if let turn { turns.signal.emit(turn, from: isolation) }
  }

  /// Has the lane hold this while a turn is due.
  ///
  /// Under the lock, so that what is held is what the state says. The lane's own lock is inside of
  /// this one and never the other way round, and this is not released here: the caller holds it.
  private func setHeld(_ isHeld: Bool, _ state: State) {
    guard let observer = state.observer, let lane = observer.lane, let berth = observer.berth else {
      return
    }
    lane.setResumed(isHeld ? self : nil, berth)
  }
}
