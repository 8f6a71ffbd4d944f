extension SignalSource {
  /// Bounds what waits for each slot that is connected through the returned source.
  ///
  /// ```swift
  /// finder.progressed.buffering(.newest(1)).connect(bar, Bar.show)
  /// ```
  ///
  /// A slot on a queue, the main queue or an actor gets what has been emitted when its turn comes. If it is slower than
  /// the emitter, what waits grows without a bound, unless this sets one. What the bound does not keep is released at once, and
  /// counted by ``SignalObserver/SignalObserver/droppedCount`` and in the signal's description. What is kept keeps its place in the order
  /// (guarantee 18). The payloads that a delivery in progress has taken, up to 128, do not count.
  ///
  /// It bounds asynchronous slots, too. A slot that runs inline never waits, so it does nothing there.
  ///
  /// - Parameter buffering: What is kept. There is room for one payload at least.
  /// - Returns: The same source.
  @inlinable
  public func buffering(_ buffering: SignalBuffering) -> some SignalSource<Payload> {
    Buffered(base: self, buffering: buffering.checked)
  }
}

@usableFromInline
struct Buffered<Base: SignalSource>: SignalSource {
  @usableFromInline let base: Base
  @usableFromInline let buffering: SignalBuffering

  @inlinable
  init(base: Base, buffering: SignalBuffering) {
    self.base = base
    self.buffering = buffering
  }

  @inlinable
  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    base.attach(slot.buffered(buffering))
  }
}
