extension SignalSource {
  /// Sends the result of `transform` for each payload, unless the result is `nil`.
  ///
  /// To keep every result, use ``map(_:)``. To keep the payload itself, use ``filter(_:)``.
  ///
  /// ```swift
  /// field.$text.compactMap { Int($0) }.connect(player, Player.setScore)
  /// ```
  ///
  /// - Parameter transform: A function that runs once for each delivery, in the place of the slot,
  ///   or on the emitting thread if what follows asks for that: see
  ///   <doc:Operators#Where-closures-run>. No lock is held meanwhile.
  /// - Returns: A source of the results that are not `nil`.
  /// - Complexity: O(1) for each delivery, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload) -> Output?
  ) -> some SignalSource<Output> where Payload: Sendable {
    CompactMapped(base: self, transform: transform)
  }
}

/// A source that sends the results of a transform that are not `nil`.
@usableFromInline
struct CompactMapped<Base: SignalSource, Payload: Sendable>: SignalSource
where Base.Payload: Sendable {
  @usableFromInline let base: Base
  @usableFromInline let transform: @Sendable (Base.Payload) -> Payload?

  @inlinable
  init(base: Base, transform: @escaping @Sendable (Base.Payload) -> Payload?) {
    self.base = base
    self.transform = transform
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    base.attach(slot, behind: "compactMap") { $0.compactAdapted(transform) }
  }
}
