/// Makes a source that sends the payloads of all `sources`.
///
/// Use this if the slot needs each payload by itself, and `combineLatest` if it needs the latest
/// payload of every source.
///
/// One observer ends the connections to all sources. The connection also ends when its target dies,
/// or when all emitters have died. An operator between a source and `merge`, such as `map`, runs on
/// the emitting thread. The slot runs in its own place. If threads emit at the same time, calls of
/// an inline slot may overlap ([guarantee 6](doc:Guarantees)).
///
/// ```swift
/// merge(north.scored, south.scored).connect(label, Label.add)
/// ```
///
/// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, whose Swift runtime knows the type of a list of
/// such sources. On older systems, merge two at a time, or sources of one type.
///
/// - Parameter sources: The sources, which may be of several types.
/// - Returns: A source of all their payloads.
/// - Complexity: O(1) for each payload. An inline emission allocates nothing.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public func merge<Payload>(
  _ sources: any SignalSource<Payload>...
) -> some SignalSource<Payload> {
  mergeAll(sources.map { source in { source.attach($0) } })
}

/// Makes a source that sends the payloads of two sources.
///
/// Everything else is as for ``merge(_:)-(SignalSource<Payload>...)``, on every system.
public func merge<First: SignalSource, Second: SignalSource>(
  _ first: First, _ second: Second
) -> some SignalSource<First.Payload> where First.Payload == Second.Payload {
  mergeAll([{ first.attach($0) }, { second.attach($0) }])
}

/// Makes a source that sends the payloads of all `sources`, which are of one type.
///
/// ```swift
/// merge(teams.map(\.scored)).connect(label, Label.add)
/// ```
///
/// Use this for sources that the program computes. This call iterates over the sequence once. If
/// the sequence is empty, each connection has ended from the start. Everything else is as for
/// sources that are listed.
public func merge<Sources: Sequence>(
  _ sources: Sources
) -> some SignalSource<Sources.Element.Payload> where Sources.Element: SignalSource {
  mergeAll(sources.map { source in { source.attach($0) } })
}

/// Makes a source that sends the payloads of all `sources`, which may be of several types.
///
/// Everything else is as for sources of one type.
///
/// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, whose Swift runtime knows the type of a list of
/// such sources. On older systems, merge sources of one type.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public func merge<Payload>(
  _ sources: some Sequence<any SignalSource<Payload>>
) -> some SignalSource<Payload> {
  mergeAll(sources.map { source in { source.attach($0) } })
}

private func mergeAll<Payload>(
  _ sources: [(SignalSlot<Payload>) -> SignalObserver]
) -> some SignalSource<Payload> {
  OperatorSource { slot in
    let relay = Relay(slot)
    for connect in sources {
      var part = unsafe slot.part(Payload.self, "merge", of: relay, relay.feed(slot))
      part.request.origin.hasStep = slot.request.hasInlineStep
      relay.add(connect(part))
    }
    return relay.observer
  }
}
