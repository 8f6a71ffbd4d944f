extension SignalSource where Payload: Sendable {
  /// Sends a payload at once, and then at most one payload in each `duration`: the newest.
  ///
  /// ```swift
  /// download.progressed.throttle(for: .milliseconds(100)).connect(bar, Bar.show)
  /// ```
  ///
  /// Use this to act regularly during a burst of payloads, such as for a progress bar. To act only
  /// after a burst, use ``debounce(for:clock:)``. If only the speed of the slot matters, and not
  /// the time, ``buffering(_:)`` with `.newest(1)` is enough.
  ///
  /// Each payload that is sent begins a window of the length `duration`. A payload that is emitted
  /// in the window is held back. It displaces the one that was held back before it, which is
  /// dropped. At the end of the window, the payload that is held back is sent, and begins the next
  /// window. If none is held back, the next payload is sent at once, even at the very instant at
  /// which the window ends. No payload is sent after a newer one, and the last payload is always
  /// sent.
  ///
  /// While a payload is held back, one task on no actor waits. The task sends the payload, and an
  /// inline slot runs in that task. If the task is late, and another payload is emitted after the
  /// window is over, that emission first sends the payload that was held back.
  ///
  /// The slot's place gets a payload when it is sent. So it may be delivered after a payload of
  /// another signal that was emitted later, such as the last progress after `finished`
  /// ([guarantee 18](doc:Guarantees)). If only the slot is slow, use ``buffering(_:)`` with
  /// `.newest(1)`: it drops payloads, too, but keeps the order.
  ///
  /// If the emitter dies, the payload that was held back is still sent
  /// ([guarantee 10](doc:Guarantees)). When the connection ends, the payload is dropped, and the
  /// task is cancelled.
  ///
  /// With `latest: false`, what is emitted in a window is dropped, and nothing waits: the first
  /// payload after the window is sent at once, and begins the next one. The time at which a payload
  /// is emitted decides, also if the slot's queue is busy.
  ///
  /// ```swift
  /// door.opened.throttle(for: .seconds(30), latest: false).connect(lamp, Lamp.switchOn)
  /// ```
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, let the
  /// slot compare the time with that of its last work.
  ///
  /// - Parameters:
  ///   - duration: The shortest time between two payloads, by the clock. A payload that is sent
  ///     late does not delay the payloads after it. With `.zero`, every payload is sent at once.
  ///   - latest: Whether the newest payload of a window is sent at its end.
  ///   - clock: The clock that measures the time. A test can pass a clock that it moves itself.
  /// - Returns: A source of some of the payloads.
  /// - Complexity: O(1) for each payload.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @inlinable
  public func throttle<C: Clock>(
    for duration: Duration, latest: Bool = true, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    timed("throttle", Throttle(duration, keepsNewest: latest), clock)
  }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
@usableFromInline
struct Throttle<Payload: Sendable>: Timetable {
  /// The end of the window; nil before the first payload.
  @usableFromInline var windowEnd: Duration?
  /// The newest payload of the window, which is held back.
  @usableFromInline var newest: TimedEntry<Payload>?
  @usableFromInline let duration: Duration
  /// Whether the newest payload of a window is held back, and not dropped.
  @usableFromInline let keepsNewest: Bool

  @inlinable
  init(_ duration: Duration, keepsNewest: Bool) {
    self.duration = duration
    self.keepsNewest = keepsNewest
  }

  @inlinable
  var next: Duration? { newest == nil ? nil : windowEnd }

  /// Takes out the payload that is held back, and begins the next window at the end of this one,
  /// even if the call is late.
  @inlinable
  mutating func takeDue() -> TimedEntry<Payload>? {
    windowEnd = windowEnd.map { $0 + duration }
    return newest.take()
  }

  @inlinable
  mutating func receive(
    _ entry: TimedEntry<Payload>, at now: Duration
  ) -> (sent: TimedEntry<Payload>?, dropped: TimedEntry<Payload>?) {
    if let windowEnd, now < windowEnd {
      guard keepsNewest else { return (nil, entry) }
      let dropped = newest
      newest = entry
      return (nil, dropped)
    }
    windowEnd = now + duration
    return (entry, nil)
  }
}
