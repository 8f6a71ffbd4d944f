// Waiting for one payload. Each registers before it suspends, and is disconnected when it returns.

extension SignalSource where Payload: Sendable {
  /// Waits for the next payload.
  ///
  /// Connected before it suspends: what is sent after the call has begun is not missed.
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
  /// Connected before it suspends: what is sent after the call has begun is not missed.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait, from the call on.
  ///   - clock: The clock that measures it.
  /// - Returns: The payload, or nil if none came in time, the task was cancelled, or the emitter is
  ///   gone.
  @discardableResult
  public func next<C: Clock>(
    timeout: C.Instant.Duration, clock: C = ContinuousClock()
  ) async -> Payload? {
    let deadline = clock.now.advanced(by: timeout)
    let values = values(buffering: .oldest(1))
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
  /// Connected before it suspends. The payloads until then are looked at in order, where this was
  /// called, and not under a lock.
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
