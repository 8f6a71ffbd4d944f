extension SignalSource {
  /// Combines each payload with the last result, and sends the new result.
  ///
  /// `scan(0) { $0 + $1 }` sends running totals. Every connection begins with `initial`, which is
  /// not sent, and keeps its last result. If a result depends on the payload alone, use
  /// ``map(_:)``. To get the payload before instead of a result, use ``pairwise()``.
  ///
  /// ```swift
  /// north.scored.scan(0) { $0 + $1 }.connect(label, Label.showTotal)
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The result before the first payload.
  ///   - next: A function that makes the next result from the last result and a payload. It runs in
  ///     the place of the slot. No lock is held meanwhile. If threads emit to an inline slot at
  ///     once, it may be called again with a newer result, so it should have no other effect.
  /// - Returns: A source of results.
  /// - Complexity: O(1) for each delivery, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func scan<Output: Sendable>(
    _ initial: Output, _ next: @escaping @Sendable (Output, Payload) -> Output
  ) -> some SignalSource<Output> where Payload: Sendable {
    Scan(base: self, initial: initial, next: next)
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
    base.attach(
      slot.uncheckedAdapted(Step(last: ConnectionState(initial), next: next)).passing("scan"))
  }

  @usableFromInline
  struct Step: SlotStep {
    @usableFromInline let last: ConnectionState<Payload>
    @usableFromInline let next: @Sendable (Payload, Base.Payload) -> Payload

    @inlinable
    init(
      last: ConnectionState<Payload>, next: @escaping @Sendable (Payload, Base.Payload) -> Payload
    ) {
      self.last = last
      self.next = next
    }

    @inlinable
    func callAsFunction(_ payload: Base.Payload) -> Payload {
      while true {
        let (value, version) = last.load()
        let result = next(value, payload)
        if last.store(result, over: version) { return result }
      }
    }
  }
}
