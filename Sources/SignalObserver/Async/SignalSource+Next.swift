// Each of these calls connects before it suspends, and disconnects when it returns.

extension SignalSource where Payload: Sendable {
  /// Waits for the next payload.
  ///
  /// ```swift
  /// let later = await player.scoreChanged.next()
  /// ```
  ///
  /// The call connects before it suspends, so it misses no payload that is sent after it has begun.
  /// It does not wait for other slots; ``Emitter/invokeAndWait(_:isolation:)`` does. The next
  /// payload of a value is its current value, which is returned at once. To wait for a change,
  /// write `changes.next()`.
  ///
  /// Use this if nothing that you do causes the payload. It misses a payload that is sent before
  /// the call, so `await act(); await signal.next()` may wait for ever. If `act` causes the
  /// payload, write `await signal.next { await act() }`. For the first payload that meets a
  /// condition, write `await signal.filter { … }.next()`. For more than one payload, use
  /// ``values``. The connection ends before this returns.
  ///
  /// - Returns: The payload, or nil if the task was cancelled or the emitter has died.
  /// - Complexity: That of one `connect` and one ``SignalObserver/SignalObserver/cancel()``.
  @discardableResult
  public func next() async -> Payload? {
    var iterator = values(buffering: .oldest(1)).makeAsyncIterator()
    return await iterator.next(isolation: #isolation)
  }

  /// Waits for the next payload until a timeout.
  ///
  /// ```swift
  /// let soon = await player.scoreChanged.next(timeout: .seconds(2))
  /// ```
  ///
  /// The call connects before it suspends, so it misses no payload that is sent after it has begun.
  /// The clock alone decides what is in time: a payload that is sent at the deadline or later is
  /// not returned, however late this task runs. The current value of an ``EmitterValue`` is in
  /// time, unless another thread is delivering that value until the deadline. If the clock fails to
  /// sleep, this returns nil.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, cancel
  /// the task that calls ``next()``, in a task that sleeps first.
  ///
  /// - Parameters:
  ///   - timeout: The time to wait, counted from the call.
  ///   - clock: The clock that measures the time.
  /// - Returns: The payload, or nil if none was sent in time, the task was cancelled, or the
  ///   emitter has died.
  /// - Complexity: That of one `connect`, one ``SignalObserver/SignalObserver/cancel()``, and one
  ///   task.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @discardableResult
  public func next<C: Clock>(
    timeout: C.Instant.Duration, clock: C = ContinuousClock()
  ) async -> Payload? {
    await waitForNext(timeout, clock, wantsCurrent: true) {}
  }

  /// Connects, runs `body`, and then waits for the next payload.
  ///
  /// ```swift
  /// let score = await player.scoreChanged.next { player.goal(1) }
  /// ```
  ///
  /// Use this if `body` causes the payload: `await act(); await signal.next()` would miss a payload
  /// that is sent while `act` runs. `body` runs on the isolation of the caller. The current value
  /// of an ``EmitterValue`` does not count. The first value of `observed` counts if it is read
  /// after the call has connected, as on another thread than the main one.
  ///
  /// - Parameter body: The code that causes the payload.
  /// - Returns: The payload, or nil if the task was cancelled or the emitter has died.
  /// - Complexity: That of one `connect` and one ``SignalObserver/SignalObserver/cancel()``.
  /// - Throws: The error of `body`. Nothing stays connected then.
  @discardableResult
  public func next<Failure: Error>(
    after body: () async throws(Failure) -> Void
  ) async throws(Failure) -> Payload? {
    let values = first { !$0 }
    try await body()
    var iterator = values.makeAsyncIterator()
    return await iterator.next(isolation: #isolation)
  }

  /// Connects, runs `body`, and then waits for the next payload until a timeout.
  ///
  /// Everything else is as for ``next(after:)`` and ``next(timeout:clock:)``.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, cancel
  /// the task that calls ``next(after:)``, in a task that sleeps first.
  ///
  /// - Parameters:
  ///   - timeout: The time to wait, counted from the end of `body`.
  ///   - clock: The clock that measures the time.
  ///   - body: The code that causes the payload.
  /// - Returns: The payload, or nil if none was sent in time, the task was cancelled, or the
  ///   emitter has died.
  /// - Complexity: That of one `connect`, one ``SignalObserver/SignalObserver/cancel()``, and one
  ///   task.
  /// - Throws: The error of `body`. Nothing stays connected then.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @discardableResult
  public func next<C: Clock, Failure: Error>(
    timeout: C.Instant.Duration, clock: C = ContinuousClock(),
    after body: () async throws(Failure) -> Void
  ) async throws(Failure) -> Payload? {
    try await waitForNext(timeout, clock, wantsCurrent: false, after: body)
  }

  /// Runs `body`, and then waits for the next payload, or for the current value, until a timeout.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  private func waitForNext<C: Clock, Failure: Error>(
    _ timeout: C.Instant.Duration, _ clock: C, wantsCurrent: Bool,
    after body: () async throws(Failure) -> Void
  ) async throws(Failure) -> Payload? {
    // Nil before the time begins.
    let deadline = Lock<C.Instant?>(nil)
    let values = first { isCurrent in
      if isCurrent, !wantsCurrent { return false }
      guard let end = deadline.withLock({ $0 }) else { return true }
      return clock.now < end
    }
    try await body()
    let end = clock.now.advanced(by: timeout)
    deadline.withLock { $0 = end }
    let timer = Task {
      // A clock that fails must not make the call wait for ever. If the task is cancelled, the call
      // has returned.
      try? await clock.sleepPast(end)
      // Ends the wait. A payload that was sent before the deadline can still be taken.
      values.connection.close()
    }
    defer { timer.cancel() }
    var iterator = values.makeAsyncIterator()
    return await iterator.next(isolation: #isolation)
  }

  /// Connects a sequence of the first payload that meets a condition, which is told whether the
  /// payload is delivered on connecting.
  private func first(
    _ isIncluded: @escaping @Sendable (_ isCurrent: Bool) -> Bool
  ) -> SignalValues<Payload> {
    let call = nextNumber()
    let source = Waited(base: self) { isIncluded(Cause.currentCall == call) }
    return Cause.deliver(for: call) { source.values(buffering: .oldest(1)) }
  }
}

/// The payloads of a source that are sent while a condition is met.
private struct Waited<Base: SignalSource>: SignalSource {
  let base: Base
  let isIncluded: @Sendable () -> Bool

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    base.attach(slot.filtered { [isIncluded] _ in isIncluded() })
  }
}
