extension SignalSource where Payload: Sendable {
  /// Sends a payload at once, and then the newest payload no more than once in each `duration`.
  ///
  /// A payload that is sent begins a window of the length `duration`. A payload that comes in the
  /// window is held back, and replaces the one that was held back before it, which is dropped. At
  /// the end of the window, the payload that was held back is sent, and begins the next window. If
  /// none was held back, the next payload is sent at once, even in the moment in which the window
  /// ends. No payload is sent after a newer one, and the last payload is always sent.
  ///
  /// While a payload is held back, one task on no actor waits. The task sends the payload, and an
  /// inline slot runs in the task. If a payload comes when the window is over, and the task has not
  /// had its turn, the emission sends the payload that was held back first.
  ///
  /// If the emitter dies, the payload that was held back is still sent (guarantee 10). The end of
  /// the connection drops it, and cancels the task.
  ///
  /// - Parameters:
  ///   - duration: The least time between two payloads, by the clock. A payload that is sent late
  ///     does not delay the payloads after it. With `.zero`, every payload is sent at once.
  ///   - clock: The clock that measures the time. With a clock of its own, a test need not wait.
  /// - Returns: A source of some of the payloads.
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

    @inlinable static var name: StaticString { "throttle" }

    /// The end of the window; nil before the first payload.
    @usableFromInline var windowEnd: Moment?
    /// The newest payload that has come in the window.
    @usableFromInline var newest: Base.Payload?
    @usableFromInline let duration: Moment

    @inlinable
    init(_ duration: Moment) { self.duration = duration }

    @inlinable
    var next: Moment? { newest == nil ? nil : windowEnd }

    /// Takes out the newest payload, and begins the next window at the end of this one, even if it
    /// is called late.
    @inlinable
    mutating func takeDue() -> Base.Payload? {
      windowEnd = windowEnd.map { $0 + duration }
      return newest.take()
    }

    @inlinable
    mutating func receive(
      _ payload: Base.Payload, at now: Moment
    ) -> (sent: Base.Payload?, dropped: Base.Payload?) {
      if let windowEnd, now < windowEnd {
        let dropped = newest
        newest = payload
        return (nil, dropped)
      }
      windowEnd = now + duration
      return (payload, nil)
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
