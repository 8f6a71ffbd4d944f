extension SignalSource where Payload: Sendable {
  /// Updates a result with each payload, and sends the result.
  ///
  /// ```swift
  /// north.scored.reductions(into: [Int]()) { $0.append($1) }.connect(label, Label.list)
  /// ```
  ///
  /// As with `reduce(into:_:)` of a sequence, the function changes the result in place. Appending
  /// to an array or adding to a dictionary therefore copies nothing, unless a slot or something
  /// that waits for it has kept an earlier result. This is ``scan(_:_:)`` for a result that grows.
  /// For a small one, `scan` costs less.
  ///
  /// Every connection begins with `initial`, which is not sent, and keeps its result. Results are
  /// made and delivered one at a time, in the order of the payloads, whichever threads emit. The
  /// slot runs in its own place. While the observer is suspended, the result still takes in the
  /// payloads, and is not sent. An operator of time before it drops its payloads meanwhile.
  ///
  /// - Parameters:
  ///   - initial: The result before the first payload.
  ///   - update: A function that changes the result. It runs once for each payload, on a thread
  ///     that emits. If several threads emit at once, it may also run on a global queue. No lock is
  ///     held meanwhile. What it emits to its own chain follows the payload that it gets. If
  ///     each call emits there, the program stops with a message.
  /// - Returns: A source of results.
  /// - Complexity: O(1) for each payload, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func reductions<Output: Sendable>(
    into initial: Output, _ update: @escaping @Sendable (inout Output, Payload) -> Void
  ) -> some SignalSource<Output> {
    OperatorSource { slot in
      let reduction = Reduction(slot, initial, update)
      reduction.relay.add(self.attach(reduction.part(slot)))
      return reduction.relay.observer
    }
  }
}

/// The result of one connection, which changes on the emitting thread.
///
/// Results are made and delivered one at a time, in the order of the payloads.
///
/// `@unchecked Sendable`: the worklist does one item at a time, and only an item uses the result.
@usableFromInline
final class Reduction<Source: Sendable, Payload: Sendable>: Worker, @unchecked Sendable {
  @usableFromInline typealias Item = (payload: Source, isSent: Bool, cause: Cause)

  @usableFromInline let relay: Relay
  @usableFromInline let worklist = Worklist<Void, Item>(())
  /// Unchecked exclusivity: see above.
  @safe @exclusivity(unchecked) @usableFromInline var result: Payload
  @usableFromInline let update: @Sendable (inout Payload, Source) -> Void

  @inlinable
  init(
    _ slot: SignalSlot<Payload>, _ initial: Payload,
    _ update: @escaping @Sendable (inout Payload, Source) -> Void
  ) {
    relay = Relay(slot, end: worklist.drops)
    result = initial
    self.update = update
  }

  @inlinable
  func part(_ slot: SignalSlot<Payload>) -> SignalSlot<Source> {
    let feed = unsafe relay.feed(slot)
    // Captured by itself, which saves an emission from retaining the relay.
    let handle = relay.handle
    let isLast = relay.isLast
    return unsafe slot.part(Source.self, "reductions", of: relay) { target, part, address in
      let payload = unsafe address.assumingMemoryBound(to: Source.self).pointee
      let isSent = handle.isActive
      self.add(from: nil) { _, _ in
        true
      } item: {
        (payload, isSent, .passing)
      } now: {
        let result = self.take(payload)
        guard isSent || !isLast else { return handle.recordDrop() }
        unsafe withUnsafePointer(to: result) { unsafe feed(target, part, $0) }
      }
    }
  }

  /// Takes in a payload that had to wait.
  @inlinable
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?) {
    if relay.handle.isOver { return }
    relay.send(late: take(item.payload), item.cause, isOwn: isOwn, wasActive: item.isSent)
  }

  /// Takes in a payload, and returns the result.
  ///
  /// What the function emits to its own chain meanwhile waits for its turn.
  @inlinable
  func take(_ payload: Source) -> Payload {
    worklist.close {
      update(&result, payload)
      return result
    }
  }
}
