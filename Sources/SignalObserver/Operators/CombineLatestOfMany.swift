/// A source that sends the latest payloads of all `sources`, in their order, whenever one of them sends
/// and all have: `combineLatest(fields.map(\.$text))`.
///
/// As for two sources, tuples replaced by arrays; each is made anew, on the heap. A connection to no
/// source has ended from the start.
public func combineLatest<Sources: Sequence>(
  _ sources: Sources
) -> some SignalSource<[Sources.Element.Payload]>
where Sources.Element: SignalSource, Sources.Element.Payload: Sendable {
  CombineLatestOfMany(sources: sources.map { $0 })
}

/// A source that sends the latest payloads of all `sources`, which may be of several types.
public func combineLatest<Payload: Sendable>(
  _ sources: some Sequence<any SignalSource<Payload>>
) -> some SignalSource<[Payload]> {
  CombineLatestOfMany(sources: Array(sources))
}

private struct CombineLatestOfMany<Element: Sendable>: SignalSource {
  typealias Payload = [Element]
  typealias Work = (payloads: [Element], cause: Cause)

  private struct Latest {
    var payloads: [Element?]
    var missing: Int

    /// Stores a payload, which is left with what it replaces, to be released after the lock.
    mutating func store(_ payload: inout Element?, at index: Int) {
      swap(&payloads[index], &payload)
      if payload == nil { missing -= 1 }
    }
  }

  let sources: [any SignalSource<Element>]

  func attach(_ slot: SignalSlot<[Element]>) -> SignalObserver {
    let parts = ObserverBag()
    let relay = Relay(slot, holding: parts)
    let worklist = Worklist<Latest, Work>(
      Latest(payloads: Array(repeating: nil, count: sources.count), missing: sources.count))
    let send: @Sendable (Work) -> Void = { work in
      unsafe withUnsafePointer(to: work.payloads) { unsafe relay.send($0, work.cause) }
    }
    for (index, source) in sources.enumerated() {
      let end = relay.partEnd
      let part = unsafe slot.part(Element.self, "combineLatest", of: relay.list) { _, address in
        var payload = unsafe Optional(address.assumingMemoryBound(to: Element.self).pointee)
        worklist.add(
          { latest, mustWait in
            latest.store(&payload, at: index)
            guard latest.missing == 0 else { return nil }
            return (latest.payloads.compactMap(\.self), Cause.emission(0).kept(mustWait))
          }, work: send, elsewhere: { send })
        holdUntilHere(end)
      }
      parts.insert(source.attach(part))
    }
    return relay.observer
  }
}
