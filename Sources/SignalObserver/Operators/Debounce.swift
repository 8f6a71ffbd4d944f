extension SignalSource where Payload: Sendable {
  /// Sends the newest payload when none has come for `duration`.
  ///
  /// An inline slot is called by the task that waits, on no actor; or by the emission that comes so long
  /// after, if the task has not had its turn by then.
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

    @inlinable static var name: StaticString { "debounce" }

    /// The newest payload, and when it is due.
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
