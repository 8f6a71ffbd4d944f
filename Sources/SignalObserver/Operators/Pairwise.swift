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
    base.attach(slot, behind: Step(), dropsNone: false, "pairwise")
  }

  @usableFromInline
  struct Step: StatefulStep {
    @usableFromInline var last: Base.Payload?

    @inlinable
    init() {}

    @inlinable
    mutating func next(_ payload: Base.Payload) -> (Base.Payload, Base.Payload)? {
      defer { last = payload }
      return last.map { ($0, payload) }
    }
  }
}
