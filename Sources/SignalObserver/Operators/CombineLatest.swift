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
/// observer is suspended, the connection drops the tuples, but still keeps the latest payloads.
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
  let latest: Latest = (nil, nil)
  return CombineLatest(latest) {
    guard let first = $0.first, let second = $0.second else { return nil }
    return (first, second)
  } connect: { combination, slot in
    combination.add(first, slot) { swap(&$0.first, &$1) }
    combination.add(second, slot) { swap(&$0.second, &$1) }
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
  let latest: Latest = (nil, nil, nil)
  return CombineLatest(latest) {
    guard let first = $0.first, let second = $0.second, let third = $0.third else { return nil }
    return (first, second, third)
  } connect: { combination, slot in
    combination.add(first, slot) { swap(&$0.first, &$1) }
    combination.add(second, slot) { swap(&$0.second, &$1) }
    combination.add(third, slot) { swap(&$0.third, &$1) }
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
  let latest: Latest = (nil, nil, nil, nil)
  return CombineLatest(latest) {
    guard let first = $0.first, let second = $0.second, let third = $0.third, let fourth = $0.fourth
    else { return nil }
    return (first, second, third, fourth)
  } connect: { combination, slot in
    combination.add(first, slot) { swap(&$0.first, &$1) }
    combination.add(second, slot) { swap(&$0.second, &$1) }
    combination.add(third, slot) { swap(&$0.third, &$1) }
    combination.add(fourth, slot) { swap(&$0.fourth, &$1) }
  }
}

/// A source that combines the latest payloads of sources, whose types only the functions know.
@usableFromInline
struct CombineLatest<Latest, Payload>: SignalSource {
  @usableFromInline let latest: Latest
  @usableFromInline let payload: (inout Latest) -> Payload?
  @usableFromInline
  let connect: (Combination<Latest, Payload>, SignalSlot<Payload>) -> Void

  /// - Parameters:
  ///   - latest: The initial state, before any source has sent a payload.
  ///   - payload: A function that makes the payload to send, if each source has sent one.
  ///   - connect: A function that connects a part of the combination to each source.
  @inlinable
  init(
    _ latest: Latest, payload: @escaping (inout Latest) -> Payload?,
    connect: @escaping (Combination<Latest, Payload>, SignalSlot<Payload>) -> Void
  ) {
    self.latest = latest
    self.payload = payload
    self.connect = connect
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let combination = Combination(slot, latest, payload: payload)
    connect(combination, slot)
    return combination.relay.observer
  }
}

/// The latest payloads of several sources, and the payload that is made of them.
///
/// `@unchecked Sendable`: the worklist guards the latest payloads. Those that are not `Sendable`
/// stay in the isolation domain of their sources. The function changes nothing but the state that
/// it gets; a caller that passed one with mutable captures would break this.
@usableFromInline
final class Combination<Latest, Payload>: Worker, @unchecked Sendable {
  @usableFromInline typealias Item = (payload: Payload, cause: Cause)

  @usableFromInline let relay: Relay
  @usableFromInline let worklist: Worklist<Latest, Item>
  @usableFromInline let payload: (inout Latest) -> Payload?

  /// - Parameters:
  ///   - slot: The slot that gets the combined payloads.
  ///   - latest: The initial state, before any source has sent a payload.
  ///   - payload: A function that makes the payload to send, if each source has sent one.
  @inlinable
  init(
    _ slot: SignalSlot<Payload>, _ latest: Latest, payload: @escaping (inout Latest) -> Payload?
  ) {
    worklist = Worklist(latest)
    relay = Relay(slot, end: worklist.drops)
    self.payload = payload
  }

  /// Adds a source to `combineLatest`, with a function that swaps its payload with the stored one.
  @inlinable
  func add<Source: SignalSource>(
    _ source: Source, _ slot: SignalSlot<Payload>,
    _ store: @escaping (inout Latest, inout Source.Payload?) -> Void
  ) {
    relay.add(source.attach(part(slot, "combineLatest", store)))
  }

  /// The slot of one source.
  ///
  /// - Parameters:
  ///   - slot: The slot that gets the combined payloads.
  ///   - name: The name of the operator in descriptions.
  ///   - store: A function that swaps a payload with the stored one, which is then released after
  ///     the lock.
  ///   - isOver: A function that says whether no other payload can be made. If so, the parts end.
  /// - Returns: A slot that stores each payload, and then sends the combined payload.
  @inlinable
  func part<Element>(
    _ slot: SignalSlot<Payload>, _ name: String,
    _ store: @escaping (inout Latest, inout Element?) -> Void,
    endsWhen isOver: ((Latest) -> Bool)? = nil
  ) -> SignalSlot<Element> {
    let feed = unsafe relay.feed(slot)
    // Captured by itself, which saves an emission from retaining the relay.
    let handle = relay.handle
    let isLast = handle === relay.observer
    return unsafe slot.part(Element.self, name, of: relay) { target, part, address in
      var element = unsafe Optional(address.assumingMemoryBound(to: Element.self).pointee)
      // Released after the lock, as what it replaces is.
      var payload: Payload?
      var isLastPayload = false
      let cause = Cause.passing
      self.add(from: nil) { state, waits in
        store(&state.model, &element)
        payload = self.payload(&state.model)
        if payload == nil { return false }
        if let isOver { isLastPayload = isOver(state.model) }
        // A payload that is emitted while the handle is suspended is not sent later (guarantee 11).
        // The operators between here and the slot may remember it, and do not send it either.
        return handle.isActive || !isLast && !waits
      } item: {
        // There is one: see above.
        (unsafe payload.unsafelyUnwrapped, cause)
      } now: {
        if let payload {
          unsafe withUnsafePointer(to: payload) { unsafe feed(target, part, $0) }
        }
      }
      holdUntilHere(element)
      holdUntilHere(payload)
      // If another thread sends it, that thread holds this object until then.
      if isLastPayload { self.relay.parts.endAll() }
    }
  }

  /// Sends a payload that had to wait.
  ///
  /// The emission of the relay checks whether the target is alive.
  @inlinable
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?) {
    unsafe withUnsafePointer(to: item.payload) {
      unsafe relay.send($0, item.cause.known(isOwn))
    }
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
) -> Signal<Result> {
  fatalError("unavailable")
}

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
  CombineLatest(LatestPayloads<Element>(count: sources.count)) {
    $0.missing == 0 ? $0.all : nil
  } connect: { combination, slot in
    for (index, connect) in sources.enumerated() {
      combination.relay.add(
        connect(combination.part(slot, "combineLatest", { $0.store(&$1, from: index) })))
    }
    guard sources.isEmpty else { return }
    // One part sends once, and ends. The other one never sends, so the connection does not end.
    let once = EmitterCore<Void>()
    for list in [withoutSource, once.signal.list] {
      let part = combination.part(slot, "combineLatest", { (_, _: inout Void?) in })
      combination.relay.add(list.attach(part.request))
    }
    once.emit((), from: nil)
  }
}

/// The list of the connections without a source, which lives as long as the process.
///
/// As in any list, connections whose targets have died end when it grows.
@usableFromInline let withoutSource = ConnectionList()
