extension SignalSource where Payload: Sendable {
  /// Sends the newest payload when no other payload has come for `duration`.
  ///
  /// Each payload replaces the one before it, which is dropped, and starts the time anew. While a
  /// payload is pending, one task on no actor waits. The task sends the payload, and an inline slot
  /// runs in the task. If a payload comes when the time is over, and the task has not had its turn,
  /// the emission sends the pending payload first.
  ///
  /// If the emitter dies, the pending payload is still sent (guarantee 10). The end of the
  /// connection drops the payload, and cancels the task.
  ///
  /// - Parameters:
  ///   - duration: The time without another payload.
  ///   - clock: The clock that measures the time. With a clock of its own, a test need not wait.
  /// - Returns: A source of some of the payloads.
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

    @inlinable static var name: StaticString { "debounce" }

    /// The newest payload, and the time at which it is due.
    @usableFromInline var pending: (payload: Base.Payload, deadline: Moment)?
    @usableFromInline let duration: Moment

    @inlinable
    init(_ duration: Moment) { self.duration = duration }

    @inlinable
    var next: Moment? { pending?.deadline }

    @inlinable
    mutating func takeDue() -> Base.Payload? { pending.take()?.payload }

    @inlinable
    mutating func receive(
      _ payload: Base.Payload, at now: Moment
    ) -> (sent: Base.Payload?, dropped: Base.Payload?) {
      let dropped = pending.take()?.payload
      pending = (payload, now + duration)
      return (nil, dropped)
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
