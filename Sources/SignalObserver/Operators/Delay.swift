extension SignalSource where Payload: Sendable {
  /// Sends each payload `duration` after it was emitted, in order.
  ///
  /// ```swift
  /// door.opened.delay(for: .seconds(30)).connect(lamp, Lamp.switchOff)
  /// ```
  ///
  /// Use this to deliver every payload, but later. To deliver fewer payloads, use
  /// ``debounce(for:clock:)`` or ``throttle(for:latest:clock:)``.
  ///
  /// All payloads of that time are kept, so their number has no limit. While a payload is pending,
  /// one task on no actor waits. The task sends the payloads that are due, and an inline slot runs
  /// in that task. If the task is late, and another payload is emitted meanwhile, that emission
  /// sends the payloads that are due.
  ///
  /// The slot's place gets a payload when it is sent. So it may be delivered after a payload of
  /// another signal that was emitted later ([guarantee 18](doc:Guarantees)).
  ///
  /// If the emitter dies, the pending payloads are still sent ([guarantee 10](doc:Guarantees)).
  /// When the connection ends, they are dropped, and the task is cancelled.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, let the
  /// slot start a task that sleeps first.
  ///
  /// - Parameters:
  ///   - duration: The time from the emission of a payload to its delivery.
  ///   - clock: The clock that measures the time. A test can pass a clock that it moves itself.
  /// - Returns: A source of the same payloads.
  /// - Complexity: O(1) for each payload, and memory in proportion to the payloads that wait.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @inlinable
  public func delay<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    timed("delay", Delay(duration), clock)
  }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
@usableFromInline
struct Delay<Payload: Sendable>: Timetable {
  @usableFromInline var pending = Fifo<(entry: TimedEntry<Payload>, deadline: Duration)>()
  @usableFromInline let duration: Duration

  @inlinable
  init(_ duration: Duration) { self.duration = duration }

  @inlinable
  var next: Duration? { pending.first?.deadline }

  @inlinable
  mutating func takeDue() -> TimedEntry<Payload>? { pending.popFirst()?.entry }

  @inlinable
  mutating func receive(
    _ entry: TimedEntry<Payload>, at now: Duration
  ) -> (sent: TimedEntry<Payload>?, dropped: TimedEntry<Payload>?) {
    pending.append((entry, now + duration))
    return (nil, nil)
  }
}
