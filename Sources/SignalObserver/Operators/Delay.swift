extension SignalSource where Payload: Sendable {
  /// Sends each payload `duration` after it has come, in order.
  ///
  /// All payloads of that time are kept, so their number has no bound. While a payload is pending,
  /// one task on no actor waits. The task sends the payloads that are due, and an inline slot runs
  /// in the task. If a payload comes when others are due, and the task has not had its turn, the
  /// emission sends those that are due.
  ///
  /// If the emitter dies, the pending payloads are still sent (guarantee 10). The end of the
  /// connection drops them, and cancels the task.
  ///
  /// - Parameters:
  ///   - duration: The time from the emission of a payload to its delivery.
  ///   - clock: The clock that measures the time. With a clock of its own, a test need not wait.
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
