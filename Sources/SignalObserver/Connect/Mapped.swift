/// A source that sends what a transform makes of another one's payloads.
@usableFromInline
struct Mapped<Base: SignalSource, Payload>: SignalSource {
  @usableFromInline let base: Base
  @usableFromInline let transform: @Sendable (Base.Payload) -> Payload

  @usableFromInline
  init(base: Base, transform: @escaping @Sendable (Base.Payload) -> Payload) {
    self.base = base
    self.transform = transform
  }

  @usableFromInline
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    base.attach(slot.adapted(transform))
  }
}
