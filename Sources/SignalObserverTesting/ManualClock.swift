import SignalObserver

/// A clock that stands still until a test moves it.
///
/// Pass it to a call that takes a clock, and move it. The test never has to sleep:
///
/// ```swift
/// let clock = ManualClock()
/// let signal = player.scoreChanged
/// async let score = signal.next(timeout: .seconds(60), clock: clock)
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// let none = await score
/// ```
///
/// The `async let` may use the signal, which is `Sendable`, and not the player.
///
/// The clock wakes tasks in the order of their deadlines. Of tasks with the same deadline, it first
/// wakes the one that began to sleep first. The tasks then continue by themselves. Wait for their
/// outcome, for example with a ``SignalSpy``.
///
/// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public final class ManualClock: Clock, Sendable {
  /// A point in time, counted from the creation of the clock.
  public struct Instant: InstantProtocol {
    /// The time that has passed since the clock was made.
    public let offset: Duration

    /// Returns the instant that is `duration` later.
    ///
    /// - Parameter duration: The time between the two, which may be negative.
    /// - Returns: The later instant.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

    /// Returns the time from this instant to `other`.
    ///
    /// - Parameter other: Another instant.
    /// - Returns: The time, which is negative if `other` is earlier.
    public func duration(to other: Self) -> Duration { other.offset - offset }

    /// Returns whether `left` is earlier than `right`.
    ///
    /// - Parameters:
    ///   - left: An instant.
    ///   - right: Another instant.
    /// - Returns: Whether `left` is earlier.
    public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    /// The tasks that sleep, by their deadlines.
    var sleepers = Waiters<Instant>()
    /// The calls of `waitForSleepers` that wait, by the numbers of tasks for which they do.
    var watchers = Waiters<Int>()
  }

  private let state = Lock(State())

  /// Creates a clock at zero.
  public init() {}

  /// The current time, which ``advance(by:)`` moves.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest difference between two instants.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of tasks that sleep.
  ///
  /// ``advance(by:)`` wakes the tasks whose deadlines it reaches, before it returns. A task that
  /// still sleeps has done nothing, so a test can assert that nothing was sent:
  ///
  /// ```swift
  /// clock.advance(by: .milliseconds(299))
  /// assert(clock.sleeperCount == 1 && spy.payloads.isEmpty)
  /// ```
  ///
  /// Without the first assertion, the second one may pass because the task has not run yet.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The number of calls of `waitForSleepers` that wait.
  package var watcherCount: Int { state.withLock { $0.watchers.count } }

  /// Sleeps until the clock is moved to `deadline` or beyond it.
  ///
  /// A deadline that has passed already does not suspend the task.
  ///
  /// - Parameters:
  ///   - deadline: The time at which to wake.
  ///   - tolerance: Ignored: the clock wakes a task at its deadline.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    // The handler may run at any time, and has to know which sleeper to remove.
    let sleeper = state.withLock { $0.sleepers.make(deadline) }
    // A task that is cancelled counts no longer when `cancel` returns.
    try await withTaskCancellationHandler {
      let watchers = state.withLock { state -> [Waiters<Int>.Waiter]? in
        // If the task is cancelled after this, the handler finds the sleeper.
        guard !Task.isCancelled, state.now < deadline else { return nil }
        state.sleepers.insert(sleeper)
        return state.watchers.takeAll(through: state.sleepers.count)
      }
      guard let watchers else { return try Task.checkCancellation() }
      for watcher in watchers { watcher.wake.resolve(.success(())) }
      try await sleeper.wake.value
    } onCancel: {
      state.withLock { $0.sleepers.remove(sleeper) }
    }
  }

  /// Moves the clock, and wakes the tasks whose deadline it reaches.
  ///
  /// The outcome is deterministic. Before this returns, it wakes the tasks that sleep already, in
  /// the order of their deadlines. A task that begins to sleep until a time in the past continues
  /// at once. To be sure that a task sleeps already, call ``waitForSleepers(_:)`` first.
  ///
  /// - Parameter duration: The time by which to move the clock.
  /// - Precondition: `duration` is not negative.
  /// - Complexity: O(*n*) in the number of tasks that sleep.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "advance(by:) takes a duration of at least zero")
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      return state.sleepers.takeAll(through: state.now)
    }
    for sleeper in due { sleeper.wake.resolve(.success(())) }
  }

  /// Returns when at least `count` tasks sleep, or when the task is cancelled.
  ///
  /// Call it before ``advance(by:)``, so that the code under test has begun to wait.
  ///
  /// - Parameter count: The number of sleeping tasks to wait for.
  public func waitForSleepers(_ count: Int) async {
    let watcher = state.withLock { state -> Waiters<Int>.Waiter? in
      if state.sleepers.count >= count { return nil }
      let watcher = state.watchers.make(count)
      state.watchers.insert(watcher)
      return watcher
    }
    guard let watcher else { return }
    defer { state.withLock { $0.watchers.remove(watcher) } }
    try? await watcher.wake.value
  }
}
