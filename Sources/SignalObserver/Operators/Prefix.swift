extension SignalSource {
  /// Sends the first `count` payloads, and then ends the connection.
  ///
  /// It sends exactly `count` payloads, even if slots emit and threads emit at once (guarantee 15).
  /// The connection ends after the last delivery, and does not cancel the task of an asynchronous
  /// slot. If `count` is zero, the connection has ended from the start.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func prefix(_ count: Int) -> some SignalSource<Payload> {
    precondition(count >= 0, "a prefix of a negative number of payloads")
    return Prefix(base: self, count: count)
  }

  /// Sends one payload, and then ends the connection.
  ///
  /// The payload of a value is its current value. Everything else is as for ``prefix(_:)``.
  @inlinable
  public func once() -> some SignalSource<Payload> { Prefix(base: self, count: 1) }

  /// Sends payloads until `isIncluded` returns false, and then ends the connection.
  ///
  /// The payload for which it returns false is not sent.
  ///
  /// - Parameter isIncluded: A function that runs once for each delivery, in the place of the slot.
  ///   No lock is held meanwhile.
  /// - Returns: A source of the first payloads.
  @inlinable
  public func prefix(
    while isIncluded: @escaping @Sendable (Payload) -> Bool
  ) -> some SignalSource<Payload> {
    PrefixWhile(base: self, isIncluded: isIncluded)
  }

  /// Sends payloads for a time after connecting, and then cancels the connection.
  ///
  /// When the time is over, pending payloads are dropped, and an asynchronous call is cancelled, as
  /// by ``SignalObserver/SignalObserver/cancel()``. The clock measures the time: no call begins in
  /// the moment in which the time ends, or later. With `.zero`, no call begins at all. One task on
  /// no actor waits for the end of the time. The end of the connection cancels the task.
  ///
  /// - Parameters:
  ///   - duration: The length of the time.
  ///   - clock: The clock that measures the time.
  /// - Returns: A source of the payloads that come in time.
  @inlinable
  public func prefix<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    PrefixFor(base: self, duration: duration, clock: clock)
  }
}

@usableFromInline
struct Prefix<Base: SignalSource>: SignalSource {
  @usableFromInline let base: Base
  @usableFromInline let count: Int

  @inlinable
  init(base: Base, count: Int) {
    self.base = base
    self.count = count
  }

  @inlinable
  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let end = ConnectionEnd()
    let begun = Quota(count)
    let ended = Quota(count)
    if count == 0 { end.end() }
    return end.ends(
      base.attach(
        // An end before the last delivery would cancel the task of an `async` slot.
        slot.followed { if ended.take() == 0 { end.end() } }
          .filtered { _ in begun.take() != nil }))
  }
}

@usableFromInline
struct PrefixWhile<Base: SignalSource>: SignalSource {
  @usableFromInline let base: Base
  @usableFromInline let isIncluded: @Sendable (Base.Payload) -> Bool

  @inlinable
  init(base: Base, isIncluded: @escaping @Sendable (Base.Payload) -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  @inlinable
  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let end = ConnectionEnd()
    return end.ends(
      base.attach(
        slot.filtered { [isIncluded] payload in
          // While the slot is being connected, payloads may follow the refused one.
          if end.isEnded { return false }
          if isIncluded(payload) { return true }
          end.end()
          return false
        }))
  }
}

@usableFromInline
struct PrefixFor<Base: SignalSource, C: Clock>: SignalSource where C.Duration == Duration {
  @usableFromInline let base: Base
  @usableFromInline let duration: Duration
  @usableFromInline let clock: C

  @inlinable
  init(base: Base, duration: Duration, clock: C) {
    self.base = base
    self.duration = duration
    self.clock = clock
  }

  @inlinable
  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let end = ConnectionEnd()
    let start = clock.now
    let deadline = start.advanced(by: duration)
    let task = Task.detached { [clock] in
      if case .some = try? await clock.sleep(until: deadline, tolerance: nil) { end.end() }
    }
    let timer = Finally { task.cancel() }
    return end.ends(
      base.attach(
        slot.filtered(
          Step(start: start, length: duration.attoseconds, clock: clock, end: end, timer: timer))))
  }

  @usableFromInline
  struct Step: SlotStep {
    @usableFromInline let start: C.Instant
    /// The length of the time in attoseconds, a number that is compared without a call.
    @usableFromInline let length: Int128
    @usableFromInline let clock: C
    @usableFromInline let end: ConnectionEnd
    /// Cancels the waiting task when the connection ends and releases the slot.
    @usableFromInline let timer: Finally

    @inlinable
    init(start: C.Instant, length: Int128, clock: C, end: ConnectionEnd, timer: Finally) {
      self.start = start
      self.length = length
      self.clock = clock
      self.end = end
      self.timer = timer
    }

    @inlinable
    func callAsFunction(_ payload: Base.Payload) -> Bool {
      if start.duration(to: clock.now).attoseconds < length { return true }
      // The waiting task has not had its turn yet.
      end.end()
      return false
    }
  }
}
