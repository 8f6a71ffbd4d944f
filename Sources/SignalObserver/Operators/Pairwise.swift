extension SignalSource {
  /// Sends each payload together with the one before it, beginning with the second payload.
  ///
  /// Each connection keeps its last payload. For a value, use ``SignalValue/changes``, which needs
  /// no such copy. For a running result, use ``scan(_:_:)``.
  ///
  /// ```swift
  /// player.scoreChanged.pairwise().connect(label, Label.animate(from:to:))
  /// ```
  ///
  /// - Returns: A source of pairs, with the older payload first.
  /// - Complexity: O(1) for each delivery. An inline emission allocates nothing.
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
    base.attach(
      slot.uncheckedCompactAdapted(Step(last: ConnectionState(nil))).passing("pairwise"))
  }

  @usableFromInline
  struct Step: SlotStep {
    @usableFromInline let last: ConnectionState<Base.Payload?>

    @inlinable
    init(last: ConnectionState<Base.Payload?>) { self.last = last }

    @inlinable
    func callAsFunction(_ payload: Base.Payload) -> (Base.Payload, Base.Payload)? {
      last.exchange(payload).map { ($0, payload) }
    }
  }
}
