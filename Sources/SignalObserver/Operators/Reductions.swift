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
  /// payloads, and is not sent.
  ///
  /// - Parameters:
  ///   - initial: The result before the first payload.
  ///   - update: A function that changes the result. It runs once for each payload, on a thread
  ///     that emits. If several threads emit at once, it may also run on a global queue. No lock is
  ///     held meanwhile. What it emits to its own chain follows the payload that it gets.
  /// - Returns: A source of results.
  /// - Complexity: O(1) for each payload, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func reductions<Output: Sendable>(
    into initial: Output, _ update: @escaping @Sendable (inout Output, Payload) -> Void
  ) -> some SignalSource<Output> {
    Reductions(base: self, initial: initial, update: update)
  }
}

@usableFromInline
struct Reductions<Base: SignalSource, Payload: Sendable>: SignalSource
where Base.Payload: Sendable {
  @usableFromInline let base: Base
  @usableFromInline let initial: Payload
  @usableFromInline let update: @Sendable (inout Payload, Base.Payload) -> Void

  @inlinable
  init(
    base: Base, initial: Payload, update: @escaping @Sendable (inout Payload, Base.Payload) -> Void
  ) {
    self.base = base
    self.initial = initial
    self.update = update
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let parts = ObserverBag()
    let updating = Updating(Relay(slot, holding: parts), initial, update)
    parts.insert(base.attach(updating.part(slot)))
    return updating.relay.observer
  }
}

/// Updates the result of one connection.
///
/// `@unchecked Sendable`: the worklist does one item at a time, and only an item uses the result.
@usableFromInline
final class Updating<Input: Sendable, Output: Sendable>: Worker, @unchecked Sendable {
  @usableFromInline typealias Item = (payload: Input, isSent: Bool, cause: Cause)

  @usableFromInline let relay: Relay
  @usableFromInline let worklist = Worklist<Void, Item>(())
  @usableFromInline let update: @Sendable (inout Output, Input) -> Void
  /// Unchecked exclusivity: see above.
  @exclusivity(unchecked) @usableFromInline var result: Output

  @inlinable
  init(
    _ relay: Relay, _ initial: Output, _ update: @escaping @Sendable (inout Output, Input) -> Void
  ) {
    self.relay = relay
    self.update = update
    unsafe result = initial
  }

  @inlinable
  func part(_ slot: SignalSlot<Output>) -> SignalSlot<Input> {
    let feed = unsafe relay.feed(slot)
    // Captured by itself, which saves an emission from retaining the relay.
    let handle = relay.handle
    return unsafe slot.part(Input.self, "reductions", of: relay) { target, part, address in
      let payload = unsafe address.assumingMemoryBound(to: Input.self).pointee
      // What is emitted while the handle is suspended is not sent later (guarantee 11).
      let isSent = handle.isActive
      let cause = Cause.passing
      self.add(from: nil) { _, _ in
        true
      } item: {
        (payload, isSent, cause)
      } now: {
        unsafe self.take(payload, isSent) { unsafe feed(target, part, $0) }
      }
    }
  }

  /// Takes in a payload that had to wait.
  @inlinable
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?) {
    unsafe take(item.payload, item.isSent) { unsafe relay.send($0, item.cause.known(isOwn)) }
  }

  /// Updates the result, and sends it.
  ///
  /// What the function emits to its own chain meanwhile waits for its turn.
  @inlinable
  func take(_ payload: Input, _ isSent: Bool, _ send: (UnsafeRawPointer) -> Void) {
    worklist.close { unsafe update(&result, payload) }
    if isSent { unsafe withUnsafePointer(to: &result) { unsafe send($0) } }
  }
}
