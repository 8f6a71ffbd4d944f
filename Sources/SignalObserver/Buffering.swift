extension SignalSource {
  /// Bounds the pending payloads of each slot that is connected through the returned source.
  ///
  /// ```swift
  /// finder.progressed.buffering(.newest(1)).connect(bar, Bar.show)
  /// ```
  ///
  /// A slot on a queue, the main queue or an actor gets its payloads when its turn comes. If the
  /// slot is slower than the emitter, its pending payloads grow without a bound, unless this sets
  /// one. A payload beyond the bound is released at once, and counted by
  /// ``SignalObserver/SignalObserver/droppedCount`` and in the signal's description. The others
  /// keep their place in the order (guarantee 18). A delivery in progress has taken up to 128
  /// payloads, which do not count.
  ///
  /// The bound holds for asynchronous slots, too. An inline slot has no pending payloads, and no
  /// bound.
  ///
  /// - Parameter buffering: The payloads to keep. There is room for one payload at least.
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
