extension SignalSource where Payload: Sendable {
  /// Sends the newest payload when none has come for `duration`.
  ///
  /// An inline slot is called by the task that waits, on no actor.
  ///
  /// - Parameters:
  ///   - duration: How long it must be quiet.
  ///   - clock: Measures the time; pass one of your own to test without waiting.
  /// - Returns: A source of fewer payloads.
  @inlinable
  public func debounce<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    Debounce(base: self, duration: duration, clock: clock)
  }
}

@usableFromInline
struct Debounce<Base: SignalSource, C: Clock>: SignalSource
where Base.Payload: Sendable, C.Duration == Duration {
  @usableFromInline
  struct Table: Timetable {
    @usableFromInline typealias Payload = Base.Payload
    @usableFromInline typealias Instant = C.Instant

    @usableFromInline var newest: Base.Payload?
    /// Of the newest, if there is one.
    @usableFromInline var deadline: C.Instant
    /// Whether nothing has come since the deadline was asked for.
    @usableFromInline var isQuiet = false

    @inlinable
    init(_ now: C.Instant) { deadline = now }

    @inlinable
    mutating func next() -> C.Instant? {
      isQuiet = true
      return newest == nil ? nil : deadline
    }

    @inlinable
    mutating func receive(_ payload: Base.Payload, _ deadline: C.Instant) -> Outcome {
      let dropped = newest
      newest = payload
      self.deadline = deadline
      isQuiet = false
      return (nil, dropped)
    }

    @inlinable
    mutating func arrive(_ deadline: C.Instant) -> Outcome {
      isQuiet ? (newest.take(), nil) : (nil, nil)
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
