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
  public func scan<Output: Sendable>(
    _ initial: Output, _ next: @escaping @Sendable (Output, Payload) -> Output
  ) -> some SignalSource<Output> where Payload: Sendable {
    Scan(base: self, initial: initial, next: next)
  }

  /// Sends each payload with the one before it, from the second on.
  @inlinable
  public func pairwise() -> some SignalSource<(Payload, Payload)> {
    Pairwise(base: self)
  }

  /// Drops the first `count` payloads of each connection.
  ///
  /// `$title.dropFirst()` is the value from now on.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> some SignalSource<Payload> {
    precondition(count >= 0, "dropping a negative number of payloads")
    return DropFirst(base: self, count: count)
  }
}

@usableFromInline
struct DropFirst<Base: SignalSource>: SignalSource {
  @usableFromInline let base: Base
  @usableFromInline let count: Int

  @inlinable
  init(base: Base, count: Int) {
    self.base = base
    self.count = count
  }

  @inlinable
  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let dropped = Quota(count)
    return base.attach(slot.filtered { _ in dropped.take() == nil })
  }
}

@usableFromInline
struct Pairwise<Base: SignalSource>: SignalSource {
  @usableFromInline let base: Base

  @inlinable
  init(base: Base) { self.base = base }

  @inlinable
  func attach(_ slot: SignalSlot<(Base.Payload, Base.Payload)>) -> SignalObserver {
    let last = ConnectionState(Base.Payload?.none)
    return base.attach(
      slot.uncheckedCompactAdapted { payload in last.exchange(payload).map { ($0, payload) } })
  }
}

@usableFromInline
struct Scan<Base: SignalSource, Payload: Sendable>: SignalSource
where Base.Payload: Sendable {
  @usableFromInline let base: Base
  @usableFromInline let initial: Payload
  @usableFromInline let next: @Sendable (Payload, Base.Payload) -> Payload

  @inlinable
  init(
    base: Base, initial: Payload, next: @escaping @Sendable (Payload, Base.Payload) -> Payload
  ) {
    self.base = base
    self.initial = initial
    self.next = next
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let last = ConnectionState(initial)
    return base.attach(
      slot.adapted { [next] payload in
        while true {
          let (value, version) = last.load()
          let result = next(value, payload)
          if last.store(result, over: version) { return result }
        }
      })
  }
}
