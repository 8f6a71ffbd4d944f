/// A source that sends the latest payloads of both sources, as a tuple, whenever one of them sends
/// and both have.
///
/// Tuples are delivered one at a time, so that the last one that a slot sees has the latest of both,
/// whichever threads emit. The observer is one handle that ends both parts; while it is suspended,
/// payloads are still remembered. What is between the sources and `combineLatest`, such as a `map`,
/// runs on the thread that emits.
///
/// ```swift
/// combineLatest(form.$name, form.$password).connect(button, Button.check(name:password:))
/// ```
public func combineLatest<First: SignalSource, Second: SignalSource>(
  _ first: First, _ second: Second
) -> some SignalSource<(First.Payload, Second.Payload)> {
  CombineLatest(first: first, second: second)
}

/// A source that sends the latest payloads of three sources.
///
/// See ``combineLatest(_:_:)``.
public func combineLatest<First: SignalSource, Second: SignalSource, Third: SignalSource>(
  _ first: First, _ second: Second, _ third: Third
) -> some SignalSource<(First.Payload, Second.Payload, Third.Payload)> {
  CombineLatest(first: combineLatest(first, second), second: third)
    .map { ($0.0, $0.1, $1) }
}

/// A source that sends the latest payloads of four sources.
///
/// See ``combineLatest(_:_:)``.
public func combineLatest<
  First: SignalSource, Second: SignalSource, Third: SignalSource, Fourth: SignalSource
>(
  _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth
) -> some SignalSource<(First.Payload, Second.Payload, Third.Payload, Fourth.Payload)> {
  CombineLatest(first: combineLatest(first, second), second: combineLatest(third, fourth))
    .map { ($0.0, $0.1, $1.0, $1.1) }
}

private struct CombineLatest<First: SignalSource, Second: SignalSource>: SignalSource {
  typealias Payload = (First.Payload, Second.Payload)
  typealias Latest = (first: First.Payload?, second: Second.Payload?)

  /// A pair to deliver, and what it replaces, which is released after the lock.
  typealias Work = (pair: Payload?, replaced: Latest)

  let first: First
  let second: Second

  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let parts = ObserverBag()
    let relay = Relay(slot, holding: parts)
    let worklist = Worklist<Latest, Work>((nil, nil))

    func receive(_ store: (inout Latest) -> Void) {
      worklist.add({ latest in
        let replaced = latest
        store(&latest)
        guard let first = latest.first, let second = latest.second else { return (nil, replaced) }
        return ((first, second), replaced)
      }) { work in
        if let pair = work.pair { relay.send(pair) }
      }
    }
    parts.insert(first.attach(slot.part { payload in receive { $0.first = payload } }))
    parts.insert(second.attach(slot.part { payload in receive { $0.second = payload } }))
    return relay.observer
  }
}
