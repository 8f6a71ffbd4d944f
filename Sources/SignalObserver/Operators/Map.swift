extension SignalSource {
  /// Sends what `transform` makes of each payload.
  ///
  /// - Parameter transform: Runs once for each delivery, where the slot runs. A tuple of two fits
  ///   methods with two parameters.
  /// - Returns: A source of what is made.
  @inlinable
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload) -> Output
  ) -> some SignalSource<Output> where Payload: Sendable {
    Mapped(base: self, transform: transform)
  }

  /// Sends a collection of what `transform` makes of each element of the payload.
  @inlinable
  public func mapElements<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload.Element) -> Output
  ) -> some SignalSource<[Output]> where Payload: Sequence & Sendable {
    Mapped(base: self) { $0.map(transform) }
  }
}

/// A source that sends what a transform makes of another one's payloads.
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
