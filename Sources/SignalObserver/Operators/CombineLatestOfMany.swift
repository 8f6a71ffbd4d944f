/// Makes a source that sends the latest payloads of all `sources`, as an array in their order.
///
/// ```swift
/// combineLatest(fields.map(\.$text)).connect(form, Form.check(texts:))
/// ```
///
/// Everything is as for two sources, with an array in place of the tuple. Each array is a new one,
/// on the heap. This call takes the sources out of the sequence, once. A connection to an empty
/// sequence has ended from the start.
public func combineLatest<Sources: Sequence>(
  _ sources: Sources
) -> some SignalSource<[Sources.Element.Payload]>
where Sources.Element: SignalSource, Sources.Element.Payload: Sendable {
  CombineLatestOfMany(sources: sources.map { $0 })
}

/// Makes a source that sends the latest payloads of all `sources`, which may be of several types.
///
/// Everything else is as for sources of one type.
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

    /// Stores `payload`, and leaves the replaced one in it, to be released after the lock.
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
