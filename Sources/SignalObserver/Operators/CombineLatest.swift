/// Makes a source that sends the latest payloads of two sources, as a tuple.
///
/// The first tuple is sent when both sources have sent a payload. After that, each payload of
/// either source makes a tuple. Use this if the slot needs the latest payload of every source, and
/// `merge` if it needs each payload by itself.
///
/// Tuples are delivered one at a time. The last one that a slot gets has the latest payloads of
/// both sources, whichever threads emit. An operator between a source and `combineLatest`, such as
/// `map`, runs on the emitting thread. The slot runs in its own place.
///
/// Each change of a source is sent by itself. If the program sets two values, the slot first gets
/// the new first one with the old second one. For values that change together, make one value of a
/// structure.
///
/// One observer ends the connections to both sources. The connection also ends when its target
/// dies, or when both emitters have died. It keeps the latest payload of each source. While the
/// observer is suspended, the connection drops the tuples, but still keeps the latest payloads. An
/// operator of time before it drops its payloads meanwhile.
///
/// ```swift
/// combineLatest(search.$text, search.$isEnabled).connect(page, Page.update)
/// ```
///
/// - Parameters:
///   - first: A source.
///   - second: Another source.
/// - Returns: A source of tuples, in the order of the parameters.
/// - Complexity: O(1) for each payload. An inline emission allocates nothing.
@inlinable
public func combineLatest<First: SignalSource, Second: SignalSource>(
  _ first: First, _ second: Second
) -> some SignalSource<(First.Payload, Second.Payload)>
where First.Payload: Sendable, Second.Payload: Sendable {
  typealias Latest = (first: First.Payload?, second: Second.Payload?)
  return OperatorSource { slot in
    let combination = Combination("combineLatest", slot, (nil, nil) as Latest) {
      guard let first = $0.first, let second = $0.second else { return nil }
      return (first, second)
    }
    combination.add(first, slot) { swap(&$0.first, &$1) }
    combination.add(second, slot) { swap(&$0.second, &$1) }
    return combination.attached()
  }
}

/// Makes a source that sends the latest payloads of three sources.
///
/// Everything else is as for ``combineLatest(_:_:)``.
@inlinable
public func combineLatest<First: SignalSource, Second: SignalSource, Third: SignalSource>(
  _ first: First, _ second: Second, _ third: Third
) -> some SignalSource<(First.Payload, Second.Payload, Third.Payload)>
where First.Payload: Sendable, Second.Payload: Sendable, Third.Payload: Sendable {
  typealias Latest = (first: First.Payload?, second: Second.Payload?, third: Third.Payload?)
  return OperatorSource { slot in
    let combination = Combination("combineLatest", slot, (nil, nil, nil) as Latest) {
      guard let first = $0.first, let second = $0.second, let third = $0.third else { return nil }
      return (first, second, third)
    }
    combination.add(first, slot) { swap(&$0.first, &$1) }
    combination.add(second, slot) { swap(&$0.second, &$1) }
    combination.add(third, slot) { swap(&$0.third, &$1) }
    return combination.attached()
  }
}

/// Makes a source that sends the latest payloads of four sources.
///
/// Everything else is as for ``combineLatest(_:_:)``.
@inlinable
public func combineLatest<
  First: SignalSource, Second: SignalSource, Third: SignalSource, Fourth: SignalSource
>(
  _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth
) -> some SignalSource<(First.Payload, Second.Payload, Third.Payload, Fourth.Payload)>
where
  First.Payload: Sendable, Second.Payload: Sendable, Third.Payload: Sendable,
  Fourth.Payload: Sendable
{
  typealias Latest = (
    first: First.Payload?, second: Second.Payload?, third: Third.Payload?, fourth: Fourth.Payload?
  )
  return OperatorSource { slot in
    let combination = Combination("combineLatest", slot, (nil, nil, nil, nil) as Latest) {
      guard let first = $0.first, let second = $0.second, let third = $0.third,
        let fourth = $0.fourth
      else { return nil }
      return (first, second, third, fourth)
    }
    combination.add(first, slot) { swap(&$0.first, &$1) }
    combination.add(second, slot) { swap(&$0.second, &$1) }
    combination.add(third, slot) { swap(&$0.third, &$1) }
    combination.add(fourth, slot) { swap(&$0.fourth, &$1) }
    return combination.attached()
  }
}

/// Refuses a transform, which other libraries take here.
@_documentation(visibility: internal)
@available(
  *, unavailable,
  message: "write combineLatest(…).map { … }"
)
public func combineLatest<each Source: SignalSource, Result>(
  _ source: repeat each Source, transform: (repeat (each Source).Payload) -> Result
) -> Signal<Result> { fatalError("unavailable") }

/// Makes a source that sends the latest payloads of all `sources`, as an array in their order.
///
/// ```swift
/// combineLatest(fields.map(\.$text)).connect(form, Form.check(texts:))
/// ```
///
/// Everything is as for two sources, with an array in place of the tuple. Use this for sources that
/// the program computes, which are all of one type. This call iterates over the sequence once. If
/// the sequence is empty, each connection gets one empty array, and does not end by itself.
///
/// - Parameter sources: The sources.
/// - Returns: A source of arrays, in the order of `sources`.
/// - Complexity: O(1) for each payload, if nobody has kept the last array. Otherwise, that array is
///   copied.
@inlinable
public func combineLatest<Sources: Sequence>(
  _ sources: Sources
) -> some SignalSource<[Sources.Element.Payload]>
where Sources.Element: SignalSource, Sources.Element.Payload: Sendable {
  combineAll(sources.map { source in { source.attach($0) } })
}

/// Makes a source that sends the latest payloads of all `sources`, which may be of several types.
///
/// Everything else is as for sources of one type.
///
/// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, whose Swift runtime knows the type of a list of
/// such sources. On older systems, combine sources of one type.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
@inlinable
public func combineLatest<Payload: Sendable>(
  _ sources: some Sequence<any SignalSource<Payload>>
) -> some SignalSource<[Payload]> {
  combineAll(sources.map { source in { source.attach($0) } })
}

/// The latest payloads of sources that the program computes.
@usableFromInline
struct LatestPayloads<Element> {
  /// The payloads that have been sent, until each source has sent one.
  @usableFromInline var first: [Element?]
  @usableFromInline var missing: Int
  /// The payloads, in the order of the sources, once each source has sent one.
  @usableFromInline var all: [Element] = []

  @inlinable
  init(count: Int) {
    first = [Element?](repeating: nil, count: count)
    missing = count
  }

  /// Swaps `payload`, which is not nil, with the last one of the source.
  @inlinable
  mutating func store(_ payload: inout Element?, from index: Int) {
    if missing == 0, var new = payload.take() {
      swap(&all[index], &new)
      payload = new
      return
    }
    swap(&first[index], &payload)
    if payload == nil { missing -= 1 }
    if missing == 0 { (all, first) = (first.compactMap(\.self), []) }
  }
}

@inlinable
func combineAll<Element: Sendable>(
  _ sources: [(SignalSlot<Element>) -> SignalObserver]
) -> some SignalSource<[Element]> {
  OperatorSource { slot in
    let latest = LatestPayloads<Element>(count: sources.count)
    let combination = Combination("combineLatest", slot, latest) {
      $0.missing == 0 ? $0.all : nil
    }
    for (index, connect) in sources.enumerated() {
      combination.relay.add(
        connect(combination.part(slot, { $0.store(&$1, from: index) })))
    }
    if sources.isEmpty {
      // One part sends once, and ends. The other one never sends, so the connection does not end.
      let once = EmitterCore<Void>()
      for list in [withoutSource, once.signal.list] {
        let part = combination.part(slot, { (_, _: inout Void?) in })
        combination.relay.add(list.attach(part.request))
      }
      once.emit((), from: nil)
    }
    return combination.attached()
  }
}

/// The list of the connections without a source, which lives as long as the process.
///
/// As in any list, connections whose targets have died end when it grows.
@usableFromInline let withoutSource = ConnectionList()
