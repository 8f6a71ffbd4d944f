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
  public func throttle<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    Throttle(base: self, duration: duration, clock: clock)
  }
}

private struct Throttle<Base: SignalSource, C: Clock>: SignalSource
where Base.Payload: Sendable, C.Duration == Duration {
  struct Table: Timetable {
    typealias Payload = Base.Payload
    typealias Instant = C.Instant

    /// Until when nothing is sent.
    private var deadline: C.Instant?
    private var newest: Base.Payload?

    mutating func next() -> C.Instant? { deadline }

    mutating func receive(_ payload: Base.Payload, _ deadline: C.Instant) -> Outcome {
      if self.deadline == nil {
        self.deadline = deadline
        return (payload, nil)
      }
      let dropped = newest
      newest = payload
      return (nil, dropped)
    }

    mutating func arrive(_ deadline: C.Instant) -> Outcome {
      self.deadline = newest == nil ? nil : deadline
      return (newest.take(), nil)
    }
  }

  let base: Base
  let duration: Duration
  let clock: C

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    TimedRelay.attach(slot, to: base, Table(), duration, clock)
  }
}
