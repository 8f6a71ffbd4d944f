extension SignalSource where Payload: Sendable {
  /// Sends the newest payload when none has come for `duration`.
  ///
  /// An inline slot is called by the task that waits, on no actor.
  ///
  /// - Parameters:
  ///   - duration: How long it must be quiet.
  ///   - clock: Measures the time; pass one of your own to test without waiting.
  /// - Returns: A source of fewer payloads.
  public func debounce<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    Debounce(base: self, duration: duration, clock: clock)
  }
}

private struct Debounce<Base: SignalSource, C: Clock>: SignalSource
where Base.Payload: Sendable, C.Duration == Duration {
  struct Table: Timetable {
    typealias Payload = Base.Payload
    typealias Instant = C.Instant

    private var newest: (payload: Base.Payload, deadline: C.Instant)?
    /// Whether nothing has come since the deadline was asked for.
    private var isQuiet = false

    mutating func next() -> C.Instant? {
      isQuiet = true
      return newest?.deadline
    }

    mutating func receive(_ payload: Base.Payload, _ deadline: C.Instant) -> Outcome {
      let dropped = newest?.payload
      newest = (payload, deadline)
      isQuiet = false
      return (nil, dropped)
    }

    mutating func arrive(_ deadline: C.Instant) -> Outcome {
      isQuiet ? (newest.take()?.payload, nil) : (nil, nil)
    }
  }

  let base: Base
  let duration: Duration
  let clock: C

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    TimedRelay.attach(slot, to: base, Table(), duration, clock)
  }
}
