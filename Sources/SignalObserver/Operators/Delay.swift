extension SignalSource where Payload: Sendable {
  /// Sends every payload `duration` after it has come, in order.
  ///
  /// An inline slot is called by the task that waits, on no actor.
  ///
  /// - Parameters:
  ///   - duration: How much later.
  ///   - clock: Measures the time; pass one of your own to test without waiting.
  /// - Returns: A source of the same payloads.
  @inlinable
  public func delay<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    Delay(base: self, duration: duration, clock: clock)
  }
}

@usableFromInline
struct Delay<Base: SignalSource, C: Clock>: SignalSource
where Base.Payload: Sendable, C.Duration == Duration {
  @usableFromInline
  struct Table: Timetable {
    @usableFromInline typealias Payload = Base.Payload
    @usableFromInline typealias Instant = C.Instant

    @usableFromInline var pending = Fifo<(payload: Base.Payload, deadline: C.Instant)>()

    @inlinable
    init() {}

    @inlinable
    mutating func next() -> C.Instant? { pending.first?.deadline }

    @inlinable
    mutating func receive(_ payload: Base.Payload, _ deadline: C.Instant) -> Outcome {
      pending.append((payload, deadline))
      return (nil, nil)
    }

    @inlinable
    mutating func arrive(_ deadline: C.Instant) -> Outcome { (pending.popFirst()?.payload, nil) }
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
    TimedRelay.attach(slot, to: base, Table(), duration, clock)
  }
}
