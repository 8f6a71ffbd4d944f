extension SignalSource where Payload: Sendable {
  /// Sends pairs: the first payloads of both sources, then the second ones, and so on.
  ///
  /// ```swift
  /// north.scored.zip(south.scored).connect(label, Label.compare)
  /// ```
  ///
  /// Use this if payloads belong together by their number. If the slot needs the latest payload of
  /// both sources, use ``combineLatest(_:_:)``.
  ///
  /// A payload without a partner waits in the connection, in order. Nothing limits the number of
  /// those that wait. Pairs are delivered one at a time. An operator between a source and `zip`,
  /// such as `map`, runs on the emitting thread. The slot runs in its own place.
  ///
  /// One observer ends the connections to both sources. The connection also ends when its target
  /// dies, and when no other pair can be made: when an emitter has died, and none of its payloads
  /// waits. While the observer is suspended, payloads are still paired, and the connection drops
  /// the pairs. An operator of time before it drops its payloads meanwhile.
  ///
  /// - Parameter other: The other source, whose payload is the second of each pair.
  /// - Returns: A source of pairs.
  /// - Complexity: O(1) for each payload. An inline emission allocates nothing, unless payloads
  ///   wait.
  @inlinable
  public func zip<Other: SignalSource>(
    _ other: Other
  ) -> some SignalSource<(Payload, Other.Payload)> where Other.Payload: Sendable {
    typealias Sides = (first: ZipSide<Payload>, second: ZipSide<Other.Payload>)
    return OperatorSource { slot in
      let zipping = Combination("zip", slot, (ZipSide(), ZipSide()) as Sides) {
        guard !$0.first.waiting.isEmpty, !$0.second.waiting.isEmpty,
          let first = $0.first.waiting.popFirst(),
          let second = $0.second.waiting.popFirst()
        else { return nil }
        return (first, second)
      } isOver: {
        $0.first.isOver || $0.second.isOver
      }
      zipping.add(self, slot, { $0.first.add(&$1) }, end: { $0.first.isEnded = true })
      zipping.add(other, slot, { $0.second.add(&$1) }, end: { $0.second.isEnded = true })
      return zipping.attached()
    }
  }

  /// Sends triples: the first payloads of three sources, then the second ones, and so on.
  ///
  /// Everything else is as for ``zip(_:)``.
  @inlinable
  public func zip<Second: SignalSource, Third: SignalSource>(
    _ second: Second, _ third: Third
  ) -> some SignalSource<(Payload, Second.Payload, Third.Payload)>
  where Second.Payload: Sendable, Third.Payload: Sendable {
    typealias Sides = (
      first: ZipSide<Payload>, second: ZipSide<Second.Payload>, third: ZipSide<Third.Payload>
    )
    return OperatorSource { slot in
      let zipping = Combination("zip", slot, (ZipSide(), ZipSide(), ZipSide()) as Sides) {
        guard !$0.first.waiting.isEmpty, !$0.second.waiting.isEmpty, !$0.third.waiting.isEmpty,
          let first = $0.first.waiting.popFirst(),
          let second = $0.second.waiting.popFirst(), let third = $0.third.waiting.popFirst()
        else { return nil }
        return (first, second, third)
      } isOver: {
        $0.first.isOver || $0.second.isOver || $0.third.isOver
      }
      zipping.add(self, slot, { $0.first.add(&$1) }, end: { $0.first.isEnded = true })
      zipping.add(second, slot, { $0.second.add(&$1) }, end: { $0.second.isEnded = true })
      zipping.add(third, slot, { $0.third.add(&$1) }, end: { $0.third.isEnded = true })
      return zipping.attached()
    }
  }
}

/// Refuses the form of Swift's `zip`.
@_documentation(visibility: internal)
@available(*, unavailable, message: "write first.zip(second)")
public func zip<First: SignalSource, Second: SignalSource>(
  _ first: First, _ second: Second
) -> Signal<(First.Payload, Second.Payload)> { fatalError("unavailable") }

/// The payloads of one source that wait for partners.
@usableFromInline
struct ZipSide<Payload> {
  @usableFromInline var waiting = Fifo<Payload>()
  /// Whether the source sends nothing more.
  @usableFromInline var isEnded = false

  @inlinable
  init() {}

  /// Whether no other payload of this side can be paired.
  @inlinable
  var isOver: Bool { isEnded && waiting.isEmpty }

  @inlinable
  mutating func add(_ payload: inout Payload?) {
    if let payload = payload.take() { waiting.append(payload) }
  }
}
