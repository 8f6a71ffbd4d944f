/// Makes a source that sends the latest payloads of all `sources`, as an array in their order.
///
/// ```swift
/// combineLatest(fields.map(\.$text)).connect(form, Form.check(texts:))
/// ```
///
/// Everything is as for two sources, with an array in place of the tuple. Each array is new, and
/// allocates memory. The sources may be computed at run time, but are all of one type. This call
/// iterates over the sequence once. If the sequence is empty, each connection has ended from the
/// start.
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
  typealias Latest = (payloads: [Element?], missing: Int)

  let sources: [any SignalSource<Element>]

  func attach(_ slot: SignalSlot<[Element]>) -> SignalObserver {
    let parts = ObserverBag()
    let latest: Latest = (Array(repeating: nil, count: sources.count), sources.count)
    let combination = Combination<Latest, [Element]>(Relay(slot, holding: parts), latest) {
      $0.missing == 0 ? $0.payloads.compactMap(\.self) : nil
    }
    for (index, source) in sources.enumerated() {
      let part = combination.part(slot) { (latest: inout Latest, payload: inout Element?) in
        swap(&latest.payloads[index], &payload)
        if payload == nil { latest.missing -= 1 }
      }
      parts.insert(source.attach(part))
    }
    return combination.relay.observer
  }
}
