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
  /// the pairs.
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
    let sides: Sides = (ZipSide(), ZipSide())
    return Zip(sides) {
      guard !$0.first.isEmpty, !$0.second.isEmpty, let first = $0.first.take(),
        let second = $0.second.take()
      else { return nil }
      return (first, second)
    } isOver: {
      $0.first.isOver || $0.second.isOver
    } connect: { zipping in
      zipping.add(self, { $0.first.add(&$1) }, end: { $0.first.isEnded = true })
      zipping.add(other, { $0.second.add(&$1) }, end: { $0.second.isEnded = true })
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
    let sides: Sides = (ZipSide(), ZipSide(), ZipSide())
    return Zip(sides) {
      guard !$0.first.isEmpty, !$0.second.isEmpty, !$0.third.isEmpty, let first = $0.first.take(),
        let second = $0.second.take(), let third = $0.third.take()
      else { return nil }
      return (first, second, third)
    } isOver: {
      $0.first.isOver || $0.second.isOver || $0.third.isOver
    } connect: { zipping in
      zipping.add(self, { $0.first.add(&$1) }, end: { $0.first.isEnded = true })
      zipping.add(second, { $0.second.add(&$1) }, end: { $0.second.isEnded = true })
      zipping.add(third, { $0.third.add(&$1) }, end: { $0.third.isEnded = true })
    }
  }
}

/// The payloads of one source that wait for partners.
@usableFromInline
struct ZipSide<Payload> {
  @usableFromInline var waiting = Fifo<Payload>()
  /// Whether the source sends nothing more.
  @usableFromInline var isEnded = false

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { waiting.isEmpty }

  /// Whether no other payload of this side can be paired.
  @inlinable
  var isOver: Bool { isEnded && waiting.isEmpty }

  @inlinable
  mutating func add(_ payload: inout Payload?) {
    if let payload = payload.take() { waiting.append(payload) }
  }

  @inlinable
  mutating func take() -> Payload? { waiting.popFirst() }
}

/// A source that pairs the payloads of sources, whose types only the functions know.
@usableFromInline
struct Zip<Sides, Payload>: SignalSource {
  @usableFromInline let sides: Sides
  @usableFromInline let pair: (inout Sides) -> Payload?
  @usableFromInline let isOver: (Sides) -> Bool
  @usableFromInline let connect: (Zipping<Sides, Payload>) -> Void

  /// - Parameters:
  ///   - sides: The initial state, without payloads.
  ///   - pair: A function that takes out the oldest payload of each side, if each has one.
  ///   - isOver: A function that says whether no other pair can be made.
  ///   - connect: A function that adds each source.
  @inlinable
  init(
    _ sides: Sides, pair: @escaping (inout Sides) -> Payload?,
    isOver: @escaping (Sides) -> Bool, connect: @escaping (Zipping<Sides, Payload>) -> Void
  ) {
    self.sides = sides
    self.pair = pair
    self.isOver = isOver
    self.connect = connect
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let combination = Combination(slot, sides, payload: pair)
    connect(Zipping(combination: combination, slot: slot, isOver: isOver))
    // A source may have ended while the others were being added.
    if combination.worklist.read(isOver) { combination.relay.parts.endAll() }
    return combination.relay.observer
  }
}

/// What adds the sources of one connection.
@usableFromInline
struct Zipping<Sides, Payload> {
  @usableFromInline let combination: Combination<Sides, Payload>
  @usableFromInline let slot: SignalSlot<Payload>
  @usableFromInline let isOver: (Sides) -> Bool

  @inlinable
  init(
    combination: Combination<Sides, Payload>, slot: SignalSlot<Payload>,
    isOver: @escaping (Sides) -> Bool
  ) {
    self.combination = combination
    self.slot = slot
    self.isOver = isOver
  }

  /// Adds a source, whose payloads `store` adds to a side.
  ///
  /// When the source has ended, `end` says so to the side.
  @inlinable
  func add<Source: SignalSource>(
    _ source: Source, _ store: @escaping (inout Sides, inout Source.Payload?) -> Void,
    end: @escaping (inout Sides) -> Void
  ) {
    let ended = combination.end(when: isOver, after: end)
    combination.relay.add(
      source.attach(combination.part(slot, "zip", store, endsWhen: isOver).holding(ended)))
  }
}

extension Combination {
  /// An object whose release tells that a part has ended.
  @inlinable
  func end(
    when isOver: @escaping (Latest) -> Bool, after end: @escaping (inout Latest) -> Void
  ) -> Finally {
    // The functions touch the state alone, under its lock.
    nonisolated(unsafe) let (isOver, end) = (isOver, end)
    return Finally { [self] in
      let isOver = worklist.state.withLock { state in
        unsafe end(&state.model)
        return unsafe isOver(state.model)
      }
      if isOver { relay.parts.endAll() }
    }
  }
}
