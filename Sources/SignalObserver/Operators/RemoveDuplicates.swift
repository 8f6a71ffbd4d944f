extension SignalSource {
  /// Drops each payload that equals the one that was sent last.
  ///
  /// Each connection keeps the payload that it has sent last. A value sends every set, equal or
  /// not: use this to get only those that change it.
  ///
  /// ```swift
  /// player.$title.removeDuplicates().connect(label, Label.show)
  /// ```
  ///
  /// - Returns: A source without the duplicates.
  /// - Complexity: O(1) for each delivery, besides `==`. An inline emission allocates nothing.
  @inlinable
  public func removeDuplicates() -> some SignalSource<Payload>
  where Payload: Equatable & SendableMetatype {
    removeDuplicates { $0 == $1 }
  }

  /// Drops each payload that `areSame` finds the same as the one that was sent last.
  ///
  /// Use this if the payload is not `Equatable`, or if only a part of it matters:
  /// `removeDuplicates(by: ===)` compares objects by identity. Each connection keeps the payload
  /// that it has sent last.
  ///
  /// - Parameter areSame: A function that compares the last payload that was sent with the new one.
  ///   It runs once for each payload but the first, in order, in the place of the slot, or on the
  ///   emitting thread if what follows asks for that: see <doc:Operators#Where-closures-run>. No
  ///   lock is held meanwhile. What it emits to its own chain follows the payload that it gets. If
  ///   each call emits there, the program stops with a message.
  /// - Returns: A source without the duplicates.
  /// - Complexity: O(1) for each delivery, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func removeDuplicates(
    by areSame: @escaping @Sendable (Payload, Payload) -> Bool
  ) -> some SignalSource<Payload> {
    stepped("removeDuplicates", dropsNone: false, RemoveDuplicatesStep(areSame: areSame))
  }
}

@usableFromInline
struct RemoveDuplicatesStep<Source>: StatefulStep {
  @usableFromInline var last: Source?
  @usableFromInline let areSame: @Sendable (Source, Source) -> Bool

  @inlinable
  init(areSame: @escaping @Sendable (Source, Source) -> Bool) { self.areSame = areSame }

  @inlinable
  mutating func next(_ payload: Source) -> Source? {
    if let last, areSame(last, payload) { return nil }
    last = payload
    return payload
  }
}
