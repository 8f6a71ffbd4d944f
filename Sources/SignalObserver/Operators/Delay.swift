extension SignalSource where Payload: Sendable {
  /// Sends every payload `duration` after it has come, in order.
  ///
  /// An inline slot is called by the task that waits, on no actor; or by an emission that comes when
  /// the time is over, if the task has not had its turn by then.
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

    @inlinable static var name: StaticString { "delay" }

    @usableFromInline var pending = Fifo<(payload: Base.Payload, deadline: Moment)>()
    @usableFromInline let duration: Moment

    @inlinable
    init(_ duration: Moment) { self.duration = duration }

    @inlinable
    var next: Moment? { pending.first?.deadline }

    @inlinable
    mutating func takeDue() -> Base.Payload? { pending.popFirst()?.payload }

    @inlinable
    mutating func receive(
      _ payload: Base.Payload, at now: Moment
    ) -> (sent: Base.Payload?, dropped: Base.Payload?) {
      pending.append((payload, now + duration))
      return (nil, nil)
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
