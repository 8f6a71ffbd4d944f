extension SignalSource where Payload: Sendable {
  /// Updates a result with each payload, and sends the result.
  ///
  /// ```swift
  /// north.scored.reductions(into: [Int]()) { $0.append($1) }.connect(label, Label.list)
  /// ```
  ///
  /// As with `reduce(into:_:)` of a sequence, the function changes the result in place. Appending
  /// to an array or adding to a dictionary therefore copies nothing, unless a slot or something
  /// that waits for it has kept an earlier result. This is ``scan(_:_:)`` for a result that grows.
  /// For a small one, `scan` costs less.
  ///
  /// Every connection begins with `initial`, which is not sent, and keeps its result. Results are
  /// made and delivered one at a time, in the order of the payloads, whichever threads emit. The
  /// slot runs in its own place. While the observer is suspended, the result still takes in the
  /// payloads, and is not sent. An operator of time before it drops its payloads meanwhile.
  ///
  /// - Parameters:
  ///   - initial: The result before the first payload.
  ///   - update: A function that changes the result. It runs once for each payload, on a thread
  ///     that emits. If several threads emit at once, it may also run on a global queue. No lock is
  ///     held meanwhile. What it emits to its own chain follows the payload that it gets. If
  ///     each call emits there, the program stops with a message.
  /// - Returns: A source of results.
  /// - Complexity: O(1) for each payload, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func reductions<Output: Sendable>(
    into initial: Output, _ update: @escaping @Sendable (inout Output, Payload) -> Void
  ) -> some SignalSource<Output> {
    Reductions(base: self, initial: initial, update: update)
  }
}

@usableFromInline
struct Reductions<Base: SignalSource, Payload: Sendable>: SignalSource
where Base.Payload: Sendable {
  @usableFromInline let base: Base
  @usableFromInline let initial: Payload
  @usableFromInline let update: @Sendable (inout Payload, Base.Payload) -> Void

  @inlinable
  init(
    base: Base, initial: Payload, update: @escaping @Sendable (inout Payload, Base.Payload) -> Void
  ) {
    self.base = base
    self.initial = initial
    self.update = update
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    base.attach(slot, inTurn: Step(result: initial, update: update), "reductions")
  }

  @usableFromInline
  struct Step: StatefulStep {
    @usableFromInline var result: Payload
    @usableFromInline let update: @Sendable (inout Payload, Base.Payload) -> Void

    @inlinable
    init(
      result: Payload, update: @escaping @Sendable (inout Payload, Base.Payload) -> Void
    ) {
      self.result = result
      self.update = update
    }

    @inlinable
    mutating func next(_ payload: Base.Payload) -> Payload? {
      update(&result, payload)
      return result
    }
  }
}
