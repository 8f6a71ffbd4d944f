extension SignalSource where Payload: Sendable {
  /// Sends a payload at once, and then no more often than once in `duration`: the newest of those
  /// that have come meanwhile.
  ///
  /// Never an older payload after a newer one, and the last one always. What is sent later is sent
  /// by the task that waits, on no actor, where an inline slot then runs.
  ///
  /// - Parameters:
  ///   - duration: The least time between two payloads.
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
    @usableFromInline typealias Instant = C.Instant

    /// Until when nothing is sent, while payloads are held back.
    @usableFromInline var deadline: C.Instant
    @usableFromInline var isHolding = false
    @usableFromInline var newest: Base.Payload?

    @inlinable
    init(_ now: C.Instant) { deadline = now }

    @inlinable
    mutating func next() -> C.Instant? { isHolding ? deadline : nil }

    @inlinable
    mutating func receive(_ payload: Base.Payload, _ deadline: C.Instant) -> Outcome {
      if !isHolding {
        isHolding = true
        self.deadline = deadline
        return (payload, nil)
      }
      let dropped = newest
      newest = payload
      return (nil, dropped)
    }

    @inlinable
    mutating func arrive(_ deadline: C.Instant) -> Outcome {
      isHolding = newest != nil
      self.deadline = deadline
      return (newest.take(), nil)
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
    TimedRelay.attach(slot, to: base, Table(clock.now), duration, clock)
  }
}
