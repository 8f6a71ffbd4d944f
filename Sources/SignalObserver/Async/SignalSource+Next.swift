// Each of these calls connects before it suspends, and disconnects when it returns.

extension SignalSource where Payload: Sendable {
  /// Waits for the next payload.
  ///
  /// The call connects before it suspends, so it misses no payload that is sent after it has begun.
  /// The next payload of a value is its current value, which is returned at once.
  ///
  /// ```swift
  /// let score = await player.scoreChanged.next()
  /// ```
  ///
  /// - Returns: The payload, or nil if the task was cancelled or the emitter is gone.
  @discardableResult
  public func next() async -> Payload? {
    var iterator = values(buffering: .oldest(1)).makeAsyncIterator()
    return await iterator.next(isolation: #isolation)
  }

  /// Waits for the next payload, but not for ever.
  ///
  /// The call connects before it suspends, so it misses no payload that is sent after it has begun.
  /// The clock measures the time: a payload that is sent in the moment in which the time ends, or
  /// later, is not returned, however late this task runs. The current value of a value is always in
  /// time.
  ///
  /// - Parameters:
  ///   - timeout: The time to wait, from the call on.
  ///   - clock: The clock that measures the time.
  /// - Returns: The payload, or nil if none came in time, the task was cancelled, or the emitter is
  ///   gone.
  @discardableResult
  public func next<C: Clock>(
    timeout: C.Instant.Duration, clock: C = ContinuousClock()
  ) async -> Payload? {
    let deadline = clock.now.advanced(by: timeout)
    let connecting = Connecting()
    let values = InTime(base: self, connecting: connecting, deadline: deadline, clock: clock)
      .values(buffering: .oldest(1))
    connecting.end()
    let timer = Task {
      do { try await clock.sleep(until: deadline, tolerance: nil) } catch { return }
      // Ends the wait; a payload that came before the deadline is still there to be taken.
      values.connection.close()
    }
    defer { timer.cancel() }
    var iterator = values.makeAsyncIterator()
    return await iterator.next(isolation: #isolation)
  }

  /// Waits for the first payload that satisfies a condition.
  ///
  /// The call connects before it suspends. The condition is called with each payload, in order, on
  /// the isolation of the caller. No lock is held meanwhile. Payloads that come during a call of
  /// the condition are kept.
  ///
  /// - Parameter predicate: The condition.
  /// - Returns: The payload, or nil if the task was cancelled or the emitter is gone.
  @discardableResult
  public func first(where predicate: (Payload) -> Bool) async -> Payload? {
    var iterator = values.makeAsyncIterator()
    while let payload = await iterator.next(isolation: #isolation) {
      if predicate(payload) { return payload }
    }
    return nil
  }
}

/// The payloads of a source that are sent before `deadline`, or on connecting.
private struct InTime<Base: SignalSource, C: Clock>: SignalSource {
  let base: Base
  let connecting: Connecting
  let deadline: C.Instant
  let clock: C

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    base.attach(
      slot.filtered { [connecting, deadline, clock] _ in
        clock.now < deadline || connecting.isHere
      })
  }
}

/// The thread that is connecting, until it has done so.
private final class Connecting: Sendable {
  private let thread = Lock<UInt?>(currentThread())

  var isHere: Bool { thread.withLock { $0 } == currentThread() }

  func end() {
    thread.withLock { $0 = nil }
  }
}
