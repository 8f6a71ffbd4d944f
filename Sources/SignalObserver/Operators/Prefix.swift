extension SignalSource {
  /// Sends the first `count` payloads, and then ends the connection.
  ///
  /// To stop at a condition, use ``prefix(while:)``. To stop after a time, use
  /// ``prefix(for:clock:)``. To wait for one payload in a task, use ``next()``.
  ///
  /// ```swift
  /// player.scoreChanged.prefix(1).connect(label, Label.welcome)
  /// ```
  ///
  /// The payloads are counted where the slot runs, or on the emitting thread if what follows asks
  /// for that: see <doc:Operators#Where-closures-run>. It sends exactly `count` of them, even if
  /// the slot emits or threads emit at the same time ([guarantee 15](doc:Guarantees)). The
  /// connection ends after the last delivery, and an asynchronous slot still runs to its end. If
  /// `count` is zero, the connection has ended from the start. `prefix(1)` of a value sends its
  /// current value.
  ///
  /// While `count` payloads wait for the slot, more are dropped, unless an operator before this one
  /// may drop those that wait, as ``filter(_:)`` does. While the last call runs, none waits.
  ///
  /// - Parameter count: The number of payloads.
  /// - Precondition: `count` is not negative.
  /// - Complexity: O(1) for each delivery. An inline emission allocates nothing.
  /// - Returns: A source of the first payloads.
  @inlinable
  public func prefix(_ count: Int) -> some SignalSource<Payload> {
    precondition(count >= 0, "prefix(_:) takes a count of at least 0")
    return OperatorSource { slot in
      let (end, begun, ended) = (ConnectionEnd(), Quota(count), Quota(count))
      if count == 0 { end.end() }
      return self.attach(slot, behind: "prefix", endedBy: end) {
        $0.called(atMost: count) { connection in
          guard let left = begun.take() else { return false }
          // If the connection ended before the last delivery, that would cancel the task of an
          // `async` slot.
          if left == 0 { connection.refuse() }
          return true
        } then: {
          if ended.take() == 0 { end.end() }
        }
      }
    }
  }

  /// Sends payloads until `isIncluded` returns false, and then ends the connection.
  ///
  /// ```swift
  /// player.scoreChanged.prefix { $0 < 10 }.connect(label, Label.add)
  /// ```
  ///
  /// Use this to stop at a condition, ``prefix(_:)`` to stop after a number of payloads, and
  /// ``filter(_:)`` to skip payloads and continue.
  ///
  /// The payload for which it returns false is not sent. The connection then ends, as by
  /// ``SignalObserver/SignalObserver/cancel()``. If threads emit to an inline slot at the
  /// same time, a call that another thread has begun may still run.
  ///
  /// - Parameter isIncluded: A function that runs once for each delivery, in the place of the slot,
  ///   or on the emitting thread if what follows asks for that: see
  ///   <doc:Operators#Where-closures-run>. No lock is held meanwhile.
  /// - Returns: A source of the first payloads.
  /// - Complexity: O(1) for each delivery, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func prefix(
    while isIncluded: @escaping @Sendable (Payload) -> Bool
  ) -> some SignalSource<Payload> {
    OperatorSource { slot in
      let end = ConnectionEnd()
      return self.attach(slot, behind: "prefix", endedBy: end) {
        $0.filtered { payload in
          // While the slot is being connected, more payloads may follow the refused one.
          if end.isEnded { return false }
          if isIncluded(payload) { return true }
          end.end()
          return false
        }
      }
    }
  }

  /// Sends payloads for a time after the slot is connected, and then cancels the connection.
  ///
  /// ```swift
  /// // Only the scores of the first minute.
  /// player.scoreChanged.prefix(for: .seconds(60)).connect(label, Label.add)
  /// ```
  ///
  /// Use this to follow a source for a while. To wait for one payload, use
  /// ``next(timeout:clock:)``, which needs no slot.
  ///
  /// When the time is over, pending payloads are dropped, and an asynchronous call is cancelled, as
  /// by ``SignalObserver/SignalObserver/cancel()``. But operators that follow still send what they
  /// have received, as behind ``prefix(until:)``. The clock alone decides: no call begins at the
  /// deadline or later. With `.zero`, no call begins at all. One task on no actor waits for the
  /// deadline. The task is cancelled if the connection ends earlier. If the clock fails to sleep,
  /// the connection ends with the first payload after the deadline.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, cancel
  /// the observer in a task that sleeps first.
  ///
  /// - Parameters:
  ///   - duration: The length of the time.
  ///   - clock: The clock that measures the time. A test can pass a clock that it moves itself.
  /// - Returns: A source of the payloads that are delivered in time.
  /// - Complexity: O(1) for each delivery, which reads the clock, and one task for each connection.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @inlinable
  public func prefix<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    OperatorSource { slot in
      let (end, start) = (ConnectionEnd(), clock.now)
      let deadline = start.advanced(by: duration)
      let task = Task.detached {
        if case .some = try? await clock.sleepPast(deadline) { end.end() }
      }
      let limited = slot.filtered { _ in
        if start.duration(to: clock.now) < duration { return true }
        // The waiting task is late.
        end.end()
        return false
      }.holding(Finally { task.cancel() })
      return end.endsAll(self.attach(limited.passing("prefix")), slot.request)
    }
  }
}
