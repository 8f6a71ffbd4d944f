extension SignalSource {
  /// Limits how many payloads may be pending for each slot that is connected through the returned
  /// source.
  ///
  /// ```swift
  /// download.progressed.buffering(.newest(1)).connect(bar, Bar.show)
  /// ```
  ///
  /// A slot on a queue, the main queue or an actor waits for its turn, and its payloads wait with
  /// it. If the slot is slower than the emitter, the number of pending payloads grows without
  /// limit, unless you set one here. A payload beyond the limit is released at once.
  /// ``SignalObserver/SignalObserver/droppedCount`` and the signal's description count it. The
  /// other payloads keep their place in the order ([guarantee 18](doc:Guarantees)). Up to 128
  /// payloads that a delivery in progress has already taken do not count.
  ///
  /// Use this for slots, and ``values(buffering:)`` for a `for await` loop. To deliver fewer
  /// payloads even to a fast slot, use ``throttle(for:latest:clock:)``.
  ///
  /// The limit applies to asynchronous slots, too. An inline slot never has pending payloads, so
  /// the limit does not affect it. `merge`, `combineLatest`, `zip`, `reductions(into:)`, `replay`
  /// and the operators of time receive payloads inline, so a limit before them has no effect. Write
  /// it after the operator. A binding of a property keeps the newest payload alone; a limit before
  /// it replaces that one. Of several limits, the one next to the slot holds.
  ///
  /// The limit applies to what this source sends. An operator before it that drops payloads, or
  /// remembers them, must not miss what is displaced. So it runs on the emitting thread, as do all
  /// operators before it: `filter`, `compactMap`, `removeDuplicates`, `dropFirst`, `pairwise`,
  /// `scan`, and `prefix` with a number or a condition. An operator that you write with
  /// `compactAdapted` gets only what was not displaced.
  ///
  /// - Parameter buffering: The payloads to keep.
  /// - Returns: A source of the same payloads.
  /// - Complexity: O(1) for each payload, amortised.
  ///
  /// - Precondition: There is room for at least one payload.
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
    var slot = slot
    if !slot.request.origin.hasLimit {
      (slot.request.buffering, slot.request.origin.hasLimit) = (buffering, true)
    }
    return base.attach(slot.passing("buffering"))
  }
}

extension SignalObserver {
  /// The number of payloads that were dropped because ``SignalSource/buffering(_:)`` or
  /// ``SignalSource/prefix(_:)`` left no room for them.
  ///
  /// It counts from the moment of connecting. Any thread may read it. Without a limit, it is zero.
  /// Payloads that are dropped while the observer is suspended do not count.
  public var droppedCount: Int { mailbox?.counts.dropped ?? 0 }
}
