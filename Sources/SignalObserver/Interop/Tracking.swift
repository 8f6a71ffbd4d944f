import Observation

/// Runs code that reads `@Observable` models: once at first, and again after each change of a
/// property or a value that the code has read.
///
/// A model announces a change once, before the change, on the thread that makes it. A change
/// therefore asks for a run, which always begins later, on the isolation of the slot. All changes
/// until then belong to that run. Observation misses changes that are made while the code runs.
/// This class notices such changes of values, and asks for a run then, too.
///
/// Ownership:
///
///     model ──▶ onChange ──▶ Tracking ──▶ Signal ──▶ Slot ╌╌weak╌╌▶ target
///                               ▲                     └──▶ Mailbox
///                               └── Run, onResume ◀──────────┘    (while a run is due)
///
/// When no model is left that could change, nobody holds this object, and the slot ends with its
/// emitter. While a run is due, the mailbox holds this object, because a suspended observer drops
/// the run.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class Tracking: Sendable {
  /// A run of one of the pieces of code, by its number.
  struct Run: Sendable {
    let index: Int
    let tracking: Tracking
    fileprivate let serial: Int
  }

  private struct State {
    /// The pieces of code whose run is due, or was dropped by a suspended observer, each with the
    /// serial of that run.
    ///
    /// Runs with any other serial are out of date.
    var due: [Int: Int] = [:]
    /// The serial of the last run that has begun, for each piece of code.
    ///
    /// Observation also reports changes of properties that only an earlier run has read. Those
    /// reports are out of date.
    var begun: [Int: Int] = [:]
    var serial = 0
    var observer: SignalObserver?

    mutating func makeRun(of index: Int, _ tracking: Tracking) -> Run {
      serial += 1
      due[index] = serial
      return Run(index: index, tracking: tracking, serial: serial)
    }
  }

  private let runs = Emitter<Run>()
  private let state = Lock(State())

  /// The isolation of no slot.
  ///
  /// A run that is asked for from here always begins later.
  ///
  /// In its own place, it waits for the code that runs there, and for the deliveries that are
  /// pending there.
  private static let nowhere = ObjectIdentifier(Tracking.self)

  /// Connects the slot that makes the runs.
  func attach(_ slot: SignalSlot<Run>) -> SignalObserver {
    let observer = runs.signal.attach(slot)
    state.withLock { $0.observer = observer }
    return observer
  }

  /// Asks for the first runs, which begin at once if `isolation` is that of the slot.
  func start(_ count: Int, from isolation: ObjectIdentifier?) {
    for index in 0..<count { ask(for: index, after: nil, from: isolation) }
  }

  /// Runs `body`, and asks for the next run when a property or a value that `body` has read
  /// changes.
  ///
  /// Returns nil if the run is out of date, because it was made or asked for again.
  static func perform<Value>(_ run: Run, _ body: () -> Value) -> Value? {
    let tracking = run.tracking
    let isDue = tracking.state.withLock { state in
      guard state.due[run.index] == run.serial else { return false }
      state.due[run.index] = nil
      state.begun[run.index] = run.serial
      if state.due.isEmpty { tracking.setHeld(false, state) }
      return true
    }
    guard isDue else { return nil }
    var reads = ValueReads()
    let value = withObservationTracking {
      ValueReads.note(&reads, during: body)
    } onChange: {
      tracking.ask(for: run.index, after: run.serial, from: nowhere)
    }
    if reads.areOutdated { tracking.ask(for: run.index, after: run.serial, from: nowhere) }
    return value
  }

  /// Asks again for the runs that were dropped while the observer was suspended.
  func resume() {
    let runs = state.withLock { state in
      state.due.keys.sorted().map { state.makeRun(of: $0, self) }
    }
    for run in runs { self.runs.signal.emit(run, from: Self.nowhere) }
  }

  /// Asks for a run, unless one is due already, or another one has followed the one with `serial`.
  private func ask(for index: Int, after serial: Int?, from isolation: ObjectIdentifier?) {
    let run = state.withLock { state -> Run? in
      if state.due[index] != nil || state.begun[index] != serial { return nil }
      setHeld(true, state)
      return state.makeRun(of: index, self)
    }
    if let run { runs.signal.emit(run, from: isolation) }
  }

  /// Makes the mailbox hold this object while a run is due.
  ///
  /// The caller has the lock, so that the mailbox agrees with the state. The lock of the line is
  /// taken inside this lock, and never the other way round. This object is not released here,
  /// because the caller holds it.
  private func setHeld(_ isHeld: Bool, _ state: State) {
    guard let mailbox = state.observer?.lineMailbox else { return }
    if isHeld { mailbox.onResume = { self.resume() } } else { mailbox.onResume = nil }
  }
}
