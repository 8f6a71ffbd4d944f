extension SignalSource where Payload: Sendable {
  /// Sends every payload `duration` after it has come, in order.
  ///
  /// An inline slot is called by the task that waits, on no actor.
  ///
  /// - Parameters:
  ///   - duration: How much later.
  ///   - clock: Measures the time; pass one of your own to test without waiting.
  /// - Returns: A source of the same payloads.
  public func delay<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    Delay(base: self, duration: duration, clock: clock)
  }
}

private struct Delay<Base: SignalSource, C: Clock>: SignalSource
where Base.Payload: Sendable, C.Duration == Duration {
  struct Table: Timetable {
    typealias Payload = Base.Payload
    typealias Instant = C.Instant

    /// Not yet due, the newest last.
    private var incoming: [(payload: Base.Payload, deadline: C.Instant)] = []
    /// Older, the oldest last, where it is taken from in one step.
    private var outgoing: [(payload: Base.Payload, deadline: C.Instant)] = []

    mutating func next() -> C.Instant? {
      if outgoing.isEmpty {
        outgoing = incoming.reversed()
        incoming = []
      }
      return outgoing.last?.deadline
    }

    mutating func receive(_ payload: Base.Payload, _ deadline: C.Instant) -> Outcome {
      incoming.append((payload, deadline))
      return (nil, nil)
    }

    mutating func arrive(_ deadline: C.Instant) -> Outcome { (outgoing.popLast()?.payload, nil) }
  }

  let base: Base
  let duration: Duration
  let clock: C

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    TimedRelay.attach(slot, to: base, Table(), duration, clock)
  }
}
