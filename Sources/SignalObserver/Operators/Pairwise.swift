extension SignalSource {
  /// Sends each payload with the one before it, from the second on.
  @inlinable
  public func pairwise() -> some SignalSource<(Payload, Payload)> {
    Pairwise(base: self)
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
