extension SignalSource {
  /// Drops the first `count` payloads of each connection, and sends all others.
  ///
  /// For a value, `$title.dropFirst()` drops the current value, and sends each new one.
  /// ``SignalValue/changes`` also sends each new value, together with the old one.
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
    return base.attach(slot.filtered { _ in dropped.take() == nil }.passing("dropFirst"))
  }
}
