extension SignalSource {
  /// Sends the payloads for which `isIncluded` returns true.
  @inlinable
  public func filter(
    _ isIncluded: @escaping @Sendable (Payload) -> Bool
  ) -> some SignalSource<Payload> {
    Filtered(base: self, isIncluded: isIncluded)
  }
}

/// A source that sends some of another one's payloads.
@usableFromInline
struct Filtered<Base: SignalSource>: SignalSource {
  @usableFromInline let base: Base
  @usableFromInline let isIncluded: @Sendable (Base.Payload) -> Bool

  @inlinable
  init(base: Base, isIncluded: @escaping @Sendable (Base.Payload) -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  @inlinable
  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    base.attach(slot.filtered(isIncluded))
  }
}
