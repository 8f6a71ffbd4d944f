/// Makes a source that sends at the times of a clock, one `interval` apart.
///
/// ```swift
/// ticks(every: .seconds(1)).connect(lamp, Lamp.blink)
/// ```
///
/// Each connection has ticks of its own, which begin one interval after it is made. The payload is
/// the number of intervals that have passed since then: 1, 2, 3, and so on. The times do not drift:
/// each is a multiple of the interval after the start, however long slots take. Ticks that are late
/// are not made up. The next one tells by its number how many have passed.
///
/// One task on no actor waits for the times and sends, and an inline slot runs in that task. The
/// slot runs in its own place, as for any source. The task ends with the connection: when its
/// observer is cancelled, or at the first tick after its target has died. If the clock fails to
/// sleep, the connection ends.
///
/// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, emit in a
/// task that sleeps.
///
/// - Parameters:
///   - interval: The time between two ticks.
///   - clock: The clock that measures the time. A test can pass a clock that it moves itself.
/// - Precondition: `interval` is at least a nanosecond, so that the numbers last 292 years.
/// - Returns: A source of the numbers of ticks.
/// - Complexity: One task for each connection, and an emission for each tick.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public func ticks<C: Clock>(
  every interval: Duration, clock: C = ContinuousClock()
) -> some SignalSource<Int> where C.Duration == Duration {
  precondition(
    interval >= .nanoseconds(1), "ticks(every:) takes an interval of at least a nanosecond")
  return Ticks(interval: interval, clock: clock)
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
private struct Ticks<C: Clock>: SignalSource where C.Duration == Duration {
  let interval: Duration
  let clock: C

  func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
    let (emitter, end) = (EmitterCore<Int>(), Finally())
    let observer = emitter.signal.attach(slot.holding(end))
    // The task holds the emitter, and the slot cancels the task.
    let task = Task.detached { [interval, clock, start = clock.now] in
      var count = 0
      while !Task.isCancelled {
        let deadline = start.advanced(by: interval * (count + 1))
        guard case .some = try? await clock.sleepPast(deadline) else { return }
        let passed = start.duration(to: clock.now)
        var number = Int(passed / interval)
        // The quotient is rounded.
        if interval * (number + 1) <= passed { number += 1 }
        if interval * number > passed { number -= 1 }
        count = max(count + 1, number)
        // While the observer is suspended, no emission looks at the target.
        observer.endIfDead()
        emitter.emit(count, from: nil)
      }
    }
    end.set { task.cancel() }
    return observer
  }
}
