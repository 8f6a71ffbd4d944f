extension SignalSource where Payload: Sendable {
  /// Sends a payload at once, and then no more often than once in `duration`: the newest of those
  /// that have come meanwhile.
  ///
  /// Never an older payload after a newer one, and the last one always. A payload that comes when the
  /// time is over, or in the moment in which it ends, is sent at once. What is sent later is sent by the
  /// task that waits, on no actor, where an inline slot then runs; or by an emission that comes later
  /// still, if the task has not had its turn by then.
  ///
  /// - Parameters:
  ///   - duration: The least time between two payloads, by the clock: one that is sent late does not put
  ///     off those after it. With `.zero`, every payload is sent at once.
  ///   - clock: Measures the time; pass one of your own to test without waiting.
  /// - Returns: A source of fewer payloads.
  @inlinable
  public func throttle<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    Throttle(base: self, duration: duration, clock: clock)
  }
}

@usableFromInline
struct Throttle<Base: SignalSource, C: Clock>: SignalSource
where Base.Payload: Sendable, C.Duration == Duration {
  @usableFromInline
  struct Table: Timetable {
    @usableFromInline typealias Payload = Base.Payload

    @inlinable static var name: StaticString { "throttle" }

    /// Until when nothing is sent, if anything has been.
    @usableFromInline var windowEnd: Moment?
    /// The newest payload of those that have come in the window.
    @usableFromInline var newest: Base.Payload?
    @usableFromInline let duration: Moment

    @inlinable
    init(_ duration: Moment) { self.duration = duration }

    @inlinable
    var next: Moment? { newest == nil ? nil : windowEnd }

    /// The next window begins when this one has ended, however late that is found out.
    @inlinable
    mutating func takeDue() -> Base.Payload? {
      windowEnd = windowEnd.map { $0 + duration }
      return newest.take()
    }

    @inlinable
    mutating func receive(
      _ payload: Base.Payload, at now: Moment
    ) -> (sent: Base.Payload?, dropped: Base.Payload?) {
      if let windowEnd, now < windowEnd {
        let dropped = newest
        newest = payload
        return (nil, dropped)
      }
      windowEnd = now + duration
      return (payload, nil)
    }
  }

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
    TimedRelay.attach(slot, to: base, Table(duration.attoseconds), clock)
  }
}
