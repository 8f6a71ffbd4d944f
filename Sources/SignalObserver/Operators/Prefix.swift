extension SignalSource {
  /// Sends the first `count` payloads, and then ends the connection: exactly so many, also if slots
  /// emit and threads emit at once (guarantee 15).
  ///
  /// - Precondition: `count` is not negative.
  public func prefix(_ count: Int) -> some SignalSource<Payload> {
    precondition(count >= 0, "a prefix of a negative number of payloads")
    return Prefix(base: self, count: count)
  }

  /// Sends one payload, and then ends the connection.
  ///
  /// A closure of a value that is connected `once` is called with the current one, and never again.
  public func once() -> some SignalSource<Payload> { Prefix(base: self, count: 1) }

  /// Sends payloads until `isIncluded` refuses one, and then ends the connection.
  public func prefix(
    while isIncluded: @escaping @Sendable (Payload) -> Bool
  ) -> some SignalSource<Payload> {
    PrefixWhile(base: self, isIncluded: isIncluded)
  }

  /// Sends what is emitted during the time after connecting, and then ends the connection.
  ///
  /// - Parameters:
  ///   - duration: How long.
  ///   - clock: Measures the time.
  /// - Returns: A source of what comes in time.
  public func prefix<C: Clock>(
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    PrefixFor(base: self, duration: duration, clock: clock)
  }
}

private struct Prefix<Base: SignalSource>: SignalSource {
  let base: Base
  let count: Int

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let end = ConnectionEnd()
    let begun = Quota(count)
    let ended = Quota(count)
    if count == 0 { end.end() }
    return end.ends(
      base.attach(
        // After the last delivery and not before: ending would cancel the task of an `async` slot.
        slot.followed { if ended.next() == 0 { end.end() } }
          .compactAdapted { begun.next() == nil ? nil : $0 }))
  }
}

/// Counts down to zero, and no further.
private final class Quota: Sendable {
  private let left: Lock<Int>

  init(_ count: Int) { left = Lock(count) }

  /// How many are left after this one, or nil if there was none.
  func next() -> Int? {
    left.withLock { left in
      if left == 0 { return nil }
      left -= 1
      return left
    }
  }
}

private struct PrefixWhile<Base: SignalSource>: SignalSource {
  let base: Base
  let isIncluded: @Sendable (Base.Payload) -> Bool

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let end = ConnectionEnd()
    return end.ends(
      base.attach(
        slot.compactAdapted { [isIncluded] payload in
          if isIncluded(payload) { return payload }
          end.end()
          return nil
        }))
  }
}

private struct PrefixFor<Base: SignalSource, C: Clock>: SignalSource where C.Duration == Duration {
  let base: Base
  let duration: Duration
  let clock: C

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let end = ConnectionEnd()
    let deadline = clock.now.advanced(by: duration)
    let task = Task.detached { [clock] in
      if case .some = try? await clock.sleep(until: deadline, tolerance: nil) { end.end() }
    }
    let timer = Finally { task.cancel() }
    return end.ends(base.attach(slot.followed { withExtendedLifetime(timer) {} }))
  }
}
