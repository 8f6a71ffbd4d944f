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
    stepped("pairwise", dropsNone: false, PairwiseStep())
  }
}

@usableFromInline
struct PairwiseStep<Source>: StatefulStep {
  @usableFromInline var last: Source?

  @inlinable
  init() {}

  @inlinable
  mutating func next(_ payload: Source) -> (Source, Source)? {
    defer { last = payload }
    return last.map { ($0, payload) }
  }
}
