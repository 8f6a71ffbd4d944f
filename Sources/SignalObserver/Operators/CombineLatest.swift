/// Makes a source that sends the latest payloads of two sources, as a tuple.
///
/// The first tuple is sent when both sources have sent a payload. From then on, each payload of
/// either source sends a tuple.
///
/// Tuples are delivered one at a time. The last one that a slot sees has the latest payloads of
/// both sources, whichever threads emit. An operator between a source and `combineLatest`, such as
/// `map`, runs on the emitting thread. The slot runs in its own place.
///
/// The observer is one handle, which ends the connections to both sources. The connection also ends
/// with its target, and with the last of the two emitters. It keeps the latest payload of each
/// source. While its observer is suspended, the connection drops the tuples, and still keeps the
/// payloads.
///
/// ```swift
/// combineLatest(form.$name, form.$password).connect(button, Button.check(name:password:))
/// ```
@inlinable
public func combineLatest<First: SignalSource, Second: SignalSource>(
  _ first: First, _ second: Second
) -> some SignalSource<(First.Payload, Second.Payload)>
where First.Payload: Sendable, Second.Payload: Sendable {
  CombineLatest(first: first, second: second)
}

/// Makes a source that sends the latest payloads of three sources.
///
/// See ``combineLatest(_:_:)``.
@inlinable
public func combineLatest<First: SignalSource, Second: SignalSource, Third: SignalSource>(
  _ first: First, _ second: Second, _ third: Third
) -> some SignalSource<(First.Payload, Second.Payload, Third.Payload)>
where First.Payload: Sendable, Second.Payload: Sendable, Third.Payload: Sendable {
  CombineLatest(first: combineLatest(first, second), second: third)
    .map { ($0.0, $0.1, $1) }
}

/// Makes a source that sends the latest payloads of four sources.
///
/// See ``combineLatest(_:_:)``.
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
  CombineLatest(first: combineLatest(first, second), second: combineLatest(third, fourth))
    .map { ($0.0, $0.1, $1.0, $1.1) }
}

@usableFromInline
struct CombineLatest<First: SignalSource, Second: SignalSource>: SignalSource {
  @usableFromInline typealias Payload = (First.Payload, Second.Payload)
  @usableFromInline typealias Latest = (first: First.Payload?, second: Second.Payload?)

  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable
  init(first: First, second: Second) {
    self.first = first
    self.second = second
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let parts = ObserverBag()
    let relay = Relay(slot, holding: parts)
    let worklist = Worklist<Latest, (pair: Payload, cause: Cause)>((nil, nil))

    /// Stores a payload, and sends the pair if there is one. The replaced payload stays with
    /// `store`, to be released after the lock.
    func receive(
      _ target: AnyObject?, _ feed: (__owned AnyObject?, UnsafeRawPointer) -> Void,
      _ store: (inout Latest) -> Void
    ) {
      worklist.add(
        { latest, mustWait in
          store(&latest)
          guard let first = latest.first, let second = latest.second else { return nil }
          return ((first, second), Cause.emission(0).kept(mustWait))
        },
        work: { work in
          if case .emission = work.cause {
            unsafe withUnsafePointer(to: work.pair) { unsafe feed(target, $0) }
          } else {
            send(work)
          }
        }, elsewhere: { send })
    }
    /// Sends a tuple by an emission of the relay, which finds out whether the target is alive.
    func send(_ work: (pair: Payload, cause: Cause)) {
      unsafe withUnsafePointer(to: work.pair) { unsafe relay.send($0, work.cause) }
    }
    let (firstFeed, secondFeed) = unsafe (relay.feed(slot), relay.feed(slot))
    let firstPart = unsafe slot.part(First.Payload.self, "combineLatest", of: relay.list) {
      target, address in
      var payload = unsafe Optional(address.assumingMemoryBound(to: First.Payload.self).pointee)
      unsafe receive(target, firstFeed) { swap(&$0.first, &payload) }
    }
    let secondPart = unsafe slot.part(Second.Payload.self, "combineLatest", of: relay.list) {
      target, address in
      var payload = unsafe Optional(address.assumingMemoryBound(to: Second.Payload.self).pointee)
      unsafe receive(target, secondFeed) { swap(&$0.second, &payload) }
    }
    parts.insert(first.attach(firstPart))
    parts.insert(second.attach(secondPart))
    return relay.observer
  }
}
