extension SignalSource {
  /// Sends a result that `next` carries on from payload to payload: `scan(0) { $0 + $1 }` sends
  /// running totals.
  ///
  /// Every connection begins with `initial`, which is not sent.
  ///
  /// - Parameters:
  ///   - initial: The result before the first payload.
  ///   - next: Makes of the last result and a payload the next result. It should do nothing else: if
  ///     threads emit at once to an inline slot, it may be called again with a newer result.
  /// - Returns: A source of results.
  @inlinable
  public func scan<Output>(
    _ initial: Output, _ next: @escaping @Sendable (Output, Payload) -> Output
  ) -> some SignalSource<Output> {
    Scan(base: self, initial: initial) { last, payload in
      let result = next(last, payload)
      return (result, .some(result))
    }
  }

  /// Sends each payload with the one before it, from the second on.
  @inlinable
  public func pairwise() -> some SignalSource<(Payload, Payload)> {
    Scan(base: self, initial: Payload?.none) { last, payload in
      (payload, last.map { ($0, payload) })
    }
  }

  /// Drops the first `count` payloads of each connection.
  ///
  /// `$title.dropFirst()` is the value from now on.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> some SignalSource<Payload> {
    precondition(count >= 0, "dropping a negative number of payloads")
    return Scan(base: self, initial: count) { left, payload in
      left == 0 ? (0, payload) : (left - 1, nil)
    }
  }
}

/// A source that sends what is made of a state and each payload, if anything.
@usableFromInline
struct Scan<Base: SignalSource, State, Payload>: SignalSource {
  @usableFromInline let base: Base
  @usableFromInline let initial: State
  @usableFromInline let next: @Sendable (State, Base.Payload) -> (State, Payload?)

  @inlinable
  init(
    base: Base, initial: State,
    next: @escaping @Sendable (State, Base.Payload) -> (State, Payload?)
  ) {
    self.base = base
    self.initial = initial
    self.next = next
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let state = ConnectionState(initial)
    return base.attach(
      slot.compactAdapted { [next] payload in
        let output: Payload?? = state.update { next($0, payload) }
        return output ?? nil
      })
  }
}
