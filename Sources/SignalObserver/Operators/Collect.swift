extension SignalSource where Payload: Sendable {
  /// Sends payloads together: `count` of them at a time.
  ///
  /// ```swift
  /// player.scoreChanged.collect(10).connect(label, Label.list)
  /// ```
  ///
  /// Nothing is lost at the end: if the emitter dies, the payloads that were collected are sent at
  /// once, as a shorter array. Behind another operator of time, they are sent when the task of that
  /// one has ended. When the connection ends, they are dropped. What is emitted while the observer
  /// is suspended is not collected.
  ///
  /// To send also after a time, use ``collect(_:for:clock:)``.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9. On older systems, use
  /// ``reductions(into:_:)``.
  ///
  /// - Parameter count: The number of payloads in an array.
  /// - Returns: A source of arrays, none of which is empty.
  /// - Precondition: `count` is at least 1.
  /// - Complexity: O(1) for each payload, amortised.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @inlinable
  public func collect(_ count: Int) -> some SignalSource<[Payload]> {
    timed("collect", Collect(count, nil), ContinuousClock())
  }

  /// Sends payloads together: those of each `duration`, but at most `count` at a time.
  ///
  /// ```swift
  /// player.scoreChanged.collect(100, for: .seconds(5)).connect(label, Label.list)
  /// ```
  ///
  /// A payload that finds none collected begins a window of the length `duration`. At the end of
  /// the window, or when there are `count` payloads, they are sent as one array, in order. The next
  /// payload begins the next window. Nothing is sent while nothing is emitted.
  ///
  /// While payloads are collected, one task on no actor waits. The task sends the array, and an
  /// inline slot runs in that task. If the task is late, and another payload is emitted after the
  /// window is over, that emission sends the array.
  ///
  /// Nothing is lost at the end: if the emitter dies, the payloads that were collected are sent at
  /// once. Behind another operator of time, they are sent when the task of that one has ended. When
  /// the connection ends, they are dropped, and the task is cancelled. What is emitted while the
  /// observer is suspended is not collected.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, use
  /// ``reductions(into:_:)``, and let the slot compare the time.
  ///
  /// - Parameters:
  ///   - count: The largest number of payloads in an array. Without it, the time alone decides.
  ///   - duration: The time from the first payload of an array to the end of its window.
  ///   - clock: The clock that measures the time. A test can pass a clock that it moves itself.
  /// - Returns: A source of arrays, none of which is empty.
  /// - Precondition: `count` is at least 1.
  /// - Complexity: O(1) for each payload, amortised.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @inlinable
  public func collect<C: Clock>(
    _ count: Int = .max, for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<[Payload]> where C.Duration == Duration {
    timed("collect", Collect(count, duration), clock)
  }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
@usableFromInline
struct Collect<Element: Sendable>: Timetable {
  @usableFromInline typealias Input = Element
  @usableFromInline typealias Payload = [Element]

  @usableFromInline var payloads: [Element] = []
  /// It has the number of the call that connects a slot if all of them were made for that.
  @usableFromInline var cause = Cause()
  /// The end of the window, if there is one and something was collected.
  @usableFromInline var next: Duration?
  @usableFromInline let count: Int
  /// The length of the window; nil if the count alone decides.
  @usableFromInline let duration: Duration?

  @inlinable
  init(_ count: Int, _ duration: Duration?) {
    precondition(count > 0, "collect(_:) takes a count of at least 1")
    self.count = count
    self.duration = duration
  }

  @inlinable
  mutating func takeDue() -> TimedEntry<Payload>? { takeRest() }

  @inlinable
  mutating func takeRest() -> TimedEntry<Payload>? {
    if payloads.isEmpty { return nil }
    var taken: [Element] = []
    swap(&taken, &payloads)
    next = nil
    return (taken, cause)
  }

  @inlinable
  mutating func receive(
    _ entry: TimedEntry<Element>, at now: Duration
  ) -> (sent: TimedEntry<Payload>?, dropped: TimedEntry<Element>?) {
    if payloads.isEmpty {
      next = duration.map { now + $0 }
      cause.call = entry.cause.call
    }
    if cause.call != entry.cause.call { cause.call = 0 }
    payloads.append(entry.payload)
    return (payloads.count < count ? nil : takeRest(), nil)
  }
}
