/// A source that an operator makes: it attaches slots as the operator says.
@usableFromInline
struct OperatorSource<Payload>: SignalSource {
  @usableFromInline let attachSlot: (SignalSlot<Payload>) -> SignalObserver

  @inlinable
  init(_ attachSlot: @escaping (SignalSlot<Payload>) -> SignalObserver) {
    self.attachSlot = attachSlot
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver { attachSlot(slot) }
}

extension SignalSource {
  /// Attaches `slot` behind an operator that drops payloads or remembers them.
  ///
  /// The payloads that wait for a slot have not passed the operator yet, which runs in the place of
  /// the slot. If they have a bound, the operator would miss those that are displaced. It then runs
  /// on the emitting thread, and what waits is what it sends. So does an operator that ends the
  /// connection while payloads wait for a step behind it, which another thread does. It then emits
  /// from a relay, whose list a waiting payload holds.
  ///
  /// `adapt` puts the operator before the slot. `end` is what ends the connection, if the operator
  /// does: what waits then is still delivered.
  @inlinable
  func attach<Result>(
    _ slot: SignalSlot<Result>, behind name: String, endedBy end: ConnectionEnd? = nil,
    _ adapt: (SignalSlot<Result>) -> SignalSlot<Payload>
  ) -> SignalObserver {
    guard slot.request.hasBound || end != nil && slot.request.hasInlineStep else {
      let observer = attach(adapt(slot.passing(name)))
      return end?.ends(observer) ?? observer
    }
    let relay = Relay(slot)
    var part = unsafe slot.part(Result.self, name, of: relay, relay.feed(slot))
    // The part of an operator that remembers gets payloads while the handle is suspended.
    part.request.origin.isOnlyPart = relay.isLast || slot.request.origin.isOnlyPart
    let observer = attach(adapt(part))
    relay.add(end?.ends(observer) ?? observer)
    return relay.observer
  }
}

extension SlotRequest {
  /// Whether payloads wait for the slot, and ``buffering`` limits their number.
  @inlinable
  var hasBound: Bool {
    switch place {
    case .inline, .confined: false
    default: buffering != .unbounded
    }
  }
}
