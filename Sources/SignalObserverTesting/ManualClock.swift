import Synchronization

/// A clock that stands still until a test moves it.
///
/// Give it to whatever takes a clock, move it, and nothing has to sleep:
///
/// ```swift
/// let clock = ManualClock()
/// async let payload = player.scoreChanged.next(timeout: .seconds(5), clock: clock)
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(5))
/// ```
///
/// Sleepers are woken in the order of their deadlines, and those of the same deadline in the order in
/// which they began. What they then do happens in their own tasks: wait for its outcome, as by a
/// ``SignalSpy``.
public final class ManualClock: Clock, Sendable {
  /// A time, as what has passed since the clock was made.
  public struct Instant: InstantProtocol {
    /// What has passed since the clock was made.
    public let offset: Duration

    /// The time that is `duration` later.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

    /// How much later `other` is.
    public func duration(to other: Self) -> Duration { other.offset - offset }

    /// Whether `left` is the earlier of two times.
    public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Instant
    let wake: OneShot<Void>
  }

  private struct State {
    var now = Instant(offset: .zero)
    /// By deadline, those of the same one in the order in which they began.
    var sleepers: [Sleeper] = []
    var nextID = 0
    /// Those who wait for a number of sleepers.
    var watchers: [(count: Int, wake: OneShot<Void>)] = []
  }

  private let state = Mutex(State())

  /// Creates a clock at zero.
  public init() {}

  /// The time, as ``advance(by:)`` has set it.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest difference between two times.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// How many tasks sleep.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the clock is moved to `deadline` or beyond it.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let wake = OneShot<Void>()
    let entry = state.withLock { state -> (id: Int, watchers: [OneShot<Void>])? in
      guard state.now < deadline else { return nil }
      let sleeper = Sleeper(id: state.nextID, deadline: deadline, wake: wake)
      state.nextID += 1
      let index = state.sleepers.firstIndex { deadline < $0.deadline } ?? state.sleepers.endIndex
      state.sleepers.insert(sleeper, at: index)
      let count = state.sleepers.count
      let due = state.watchers.filter { $0.count <= count }
      state.watchers.removeAll { $0.count <= count }
      return (sleeper.id, due.map(\.wake))
    }
    guard let entry else { return try Task.checkCancellation() }
    for watcher in entry.watchers { watcher.resolve(.success(())) }
    defer { state.withLock { state in state.sleepers.removeAll { $0.id == entry.id } } }
    try await wake.value
  }

  /// Moves the clock, and wakes those whose deadline it reaches.
  ///
  /// Deterministic: whoever sleeps already is woken before this returns, by their deadlines; whoever
  /// sleeps until a time that is past goes on at once.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "time does not run backwards")
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.prefix { $0.deadline <= now }
      state.sleepers.removeFirst(due.count)
      return due
    }
    for sleeper in due { sleeper.wake.resolve(.success(())) }
  }

  /// Returns when at least `count` tasks sleep.
  ///
  /// Also if the task is cancelled.
  public func waitForSleepers(_ count: Int) async {
    let wake = OneShot<Void>()
    state.withLock { state in
      if state.sleepers.count < count {
        state.watchers.append((count, wake))
      } else {
        wake.resolve(.success(()))
      }
    }
    try? await wake.value
  }
}
