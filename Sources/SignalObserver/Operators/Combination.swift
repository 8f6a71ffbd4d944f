/// What the sources of one connection have sent, and the payload that is made of it.
///
/// `@unchecked Sendable`: the worklist guards the state. What is not `Sendable` stays in the
/// isolation domain of the sources. The functions change nothing but the state that they get; a
/// caller that passed one with mutable captures would break this.
@usableFromInline
final class Combination<State, Payload>: Worker, @unchecked Sendable {
  @usableFromInline typealias Item = (payload: Payload, isSent: Bool, cause: Cause)

  @usableFromInline let relay: Relay
  @usableFromInline let worklist: Worklist<State, Item>
  @usableFromInline let name: String
  @usableFromInline let payload: (inout State) -> Payload?
  @usableFromInline let isOver: ((State) -> Bool)?
  /// The number of the call that connects this; zero once a source has sent something that was not
  /// made for that.
  ///
  /// Unchecked: the lock of the worklist guards it, as the state.
  @safe @exclusivity(unchecked) @usableFromInline var connectingCall = Cause.currentCall

  /// Makes a combination that has no sources yet.
  ///
  /// `payload` makes the payload to send, if there is one. `isOver` says whether no other payload
  /// can be made, although a source is alive: the connection then ends.
  @inlinable
  init(
    _ name: String, _ slot: SignalSlot<Payload>, _ state: State,
    payload: @escaping (inout State) -> Payload?, isOver: ((State) -> Bool)? = nil
  ) {
    worklist = Worklist(state)
    relay = Relay(slot, end: worklist.drops)
    self.name = name
    self.payload = payload
    self.isOver = isOver
  }

  /// Adds a source.
  ///
  /// `store` stores a payload of the source in the state. What it replaces, it swaps with the
  /// payload, to be released after the lock. `end` records that the source has ended.
  @inlinable
  func add<Source: SignalSource>(
    _ source: Source, _ slot: SignalSlot<Payload>,
    _ store: @escaping (inout State, inout Source.Payload?) -> Void,
    end: ((inout State) -> Void)? = nil
  ) {
    var part = part(slot, store)
    if let end {
      // It touches the state alone, under its lock.
      nonisolated(unsafe) let end = end
      part = part.holding(Finally { self.end(after: unsafe end) })
    }
    relay.add(source.attach(part))
  }

  /// Ends the parts if no other payload can be made once the state has changed.
  @inlinable
  func end(after change: (inout State) -> Void) {
    guard let isOver else { return }
    let isEnd = worklist.state.withLock { state in
      change(&state.model)
      return isOver(state.model)
    }
    if isEnd { relay.parts.endAll() }
  }

  /// The handle, once all sources have been added.
  @inlinable
  func attached() -> SignalObserver {
    // A source may have ended while the others were being added.
    end { _ in }
    return relay.observer
  }

  /// A slot for one source, which stores each payload, and then sends what is made of the state.
  @inlinable
  func part<Element>(
    _ slot: SignalSlot<Payload>, _ store: @escaping (inout State, inout Element?) -> Void
  ) -> SignalSlot<Element> {
    let feed = unsafe relay.feed(slot)
    // Captured by itself, which saves an emission from retaining the relay.
    let handle = relay.handle
    let isLast = relay.isLast
    var part = unsafe slot.part(Element.self, name, of: relay) { target, part, address in
      var element = unsafe Optional(address.assumingMemoryBound(to: Element.self).pointee)
      // Released after the lock, as what it replaces is.
      var payload: Payload?
      var (isSent, isLastPayload) = (false, false)
      var cause = Cause.passing
      let call = cause.call
      self.add(from: nil) { state, _ in
        if call != self.connectingCall { self.connectingCall = 0 }
        cause.call = self.connectingCall
        store(&state.model, &element)
        payload = self.payload(&state.model)
        if payload == nil { return false }
        if let isOver = self.isOver { isLastPayload = isOver(state.model) }
        isSent = handle.isActive
        return isSent || !isLast
      } item: {
        // There is one: see above.
        (unsafe payload.unsafelyUnwrapped, isSent, cause)
      } now: {
        if let payload {
          unsafe withUnsafePointer(to: payload) { payload in
            if cause.call == call { return unsafe feed(target, part, payload) }
            Cause.deliver(for: cause.call) { unsafe feed(target, part, payload) }
          }
        }
      }
      if !isSent { handle.recordDrop() }
      holdUntilHere(element)
      holdUntilHere(payload)
      // If another thread sends it, that thread holds this object until then.
      if isLastPayload { self.relay.parts.endAll() }
    }
    if isOver != nil { part.request.origin.mayDrop = true }
    return part
  }

  /// Sends a payload that had to wait.
  ///
  /// The emission of the relay checks whether the target is alive.
  @inlinable
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?) {
    relay.send(late: item.payload, item.cause, isOwn: isOwn, wasActive: item.isSent)
  }
}
