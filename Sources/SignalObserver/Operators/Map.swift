extension SignalSource {
  /// Sends the result of `transform` for each payload.
  ///
  /// - Parameter transform: A function that runs once for each delivery, in the place of the slot.
  ///   No lock is held meanwhile. A method with two parameters fits a result that is a tuple of
  ///   two.
  /// - Returns: A source of the results.
  @inlinable
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload) -> Output
  ) -> some SignalSource<Output> where Payload: Sendable {
    Mapped(base: self, transform: transform)
  }

  /// Sends an array of the results of `transform` for the elements of each payload.
  ///
  /// Each array is a new one, on the heap.
  ///
  /// - Parameter transform: A function that runs once for each element of a delivery, in the place
  ///   of the slot. No lock is held meanwhile.
  /// - Returns: A source of the arrays.
  @inlinable
  public func mapElements<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload.Element) -> Output
  ) -> some SignalSource<[Output]> where Payload: Sequence & Sendable {
    Mapped(base: self) { $0.map(transform) }
  }
}

/// A source that sends the results of a transform for the payloads of another source.
@usableFromInline
struct Mapped<Base: SignalSource, Payload: Sendable>: SignalSource
where Base.Payload: Sendable {
  @usableFromInline let base: Base
  @usableFromInline let transform: @Sendable (Base.Payload) -> Payload

  @inlinable
  init(base: Base, transform: @escaping @Sendable (Base.Payload) -> Payload) {
    self.base = base
    self.transform = transform
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    base.attach(slot.adapted(transform))
  }
}
