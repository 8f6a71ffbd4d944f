extension SignalSource where Payload: Sendable {
  /// Sends the newest payload once the source has been silent for `duration`.
  ///
  /// ```swift
  /// search.$text.debounce(for: .milliseconds(300)).connect(page, Page.load)
  /// ```
  ///
  /// Use this to act after a burst of payloads, such as when a user stops typing. To act regularly
  /// during a burst, use ``throttle(for:latest:clock:)``. To keep every payload, use
  /// ``delay(for:clock:)``.
  ///
  /// Each payload restarts the time, and displaces the pending one, which is dropped. While a
  /// payload is pending, one task on no actor waits. The task sends the payload, and an inline slot
  /// runs in that task. If the task is late, and another payload is emitted after the time is over,
  /// that emission sends the pending payload first.
  ///
  /// The slot's place gets a payload when it is sent. So it may be delivered after a payload of
  /// another signal that was emitted later, such as the last progress after `finished`
  /// ([guarantee 18](doc:Guarantees)). If only the slot is slow, use ``buffering(_:)`` with
  /// `.newest(1)`: it drops payloads, too, but keeps the order.
  ///
  /// If the emitter dies, the pending payload is still sent ([guarantee 10](doc:Guarantees)). When
  /// the connection ends, the payload is dropped, and the task is cancelled.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, let the
  /// slot start a task that sleeps, and cancel the one before it.
  ///
  /// - Parameters:
  ///   - duration: The time that must pass without another payload.
  ///   - clock: The clock that measures the time. A test can pass a clock that it moves itself.
  /// - Returns: A source of some of the payloads.
  /// - Complexity: O(1) for each payload.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @inlinable
  public func debounce<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    timed("debounce", Debounce(duration), clock)
  }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
@usableFromInline
struct Debounce<Payload: Sendable>: Timetable {
  /// The newest payload, and the time at which it is due.
  @usableFromInline var pending: (entry: TimedEntry<Payload>, deadline: Duration)?
  @usableFromInline let duration: Duration

  @inlinable
  init(_ duration: Duration) { self.duration = duration }

  @inlinable
  var next: Duration? { pending?.deadline }

  @inlinable
  mutating func takeDue() -> TimedEntry<Payload>? { pending.take()?.entry }

  @inlinable
  mutating func receive(
    _ entry: TimedEntry<Payload>, at now: Duration
  ) -> (sent: TimedEntry<Payload>?, dropped: TimedEntry<Payload>?) {
    let dropped = takeDue()
    pending = (entry, now + duration)
    return (nil, dropped)
  }
}
