/// A source that sends what any of `sources` sends.
///
/// Its observer is one handle that ends all parts. What is between the sources and `merge`, such as a
/// `map`, runs on the thread that emits. Threads that emit at once call an inline slot at once.
///
/// ```swift
/// merge(north.goal, south.goal).connect(scoreboard, Scoreboard.count)
/// ```
public func merge<Payload>(
  _ sources: any SignalSource<Payload>...
) -> some SignalSource<Payload> {
  Merge(sources: sources)
}

/// A source that sends what any of `sources` sends, which are of one type: `merge(players.map(\.goal))`.
///
/// A connection to a merge of no source has ended from the start.
public func merge<Sources: Sequence>(
  _ sources: Sources
) -> some SignalSource<Sources.Element.Payload> where Sources.Element: SignalSource {
  Merge(sources: sources.map { $0 })
}

/// A source that sends what any of `sources` sends, which may be of several types.
public func merge<Payload>(
  _ sources: some Sequence<any SignalSource<Payload>>
) -> some SignalSource<Payload> {
  Merge(sources: Array(sources))
}

private struct Merge<Payload>: SignalSource {
  let sources: [any SignalSource<Payload>]

  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let parts = ObserverBag()
    let relay = Relay(slot, holding: parts)
    for source in sources {
      unsafe parts.insert(
        source.attach(slot.part(Payload.self, "merge", of: relay.list, relay.feed(slot))))
    }
    return relay.observer
  }
}
