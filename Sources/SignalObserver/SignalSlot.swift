/// A slot about to be connected: what to call, for whom and where.
///
/// The connect forms make one and give it to ``SignalSource/attach(_:)``. It holds its target
/// strongly for as long as connecting takes; the connection that it becomes holds it weakly.
public struct SignalSlot<Payload> {
  let target: AnyObject?
  let delivery: Delivery
  let body: SlotBody<Payload>
  let origin: SlotOrigin

  private init(
    target: AnyObject?, delivery: Delivery, body: SlotBody<Payload>, origin: SlotOrigin
  ) {
    self.target = target
    self.delivery = delivery
    self.body = body
    self.origin = origin
  }

  @usableFromInline
  init(
    target: AnyObject?, _ delivery: Delivery, _ body: SlotBody<Payload>, _ fileID: StaticString,
    _ line: UInt32
  ) {
    self.init(
      target: target, delivery: delivery, body: body, origin: SlotOrigin(fileID: fileID, line: line)
    )
  }

  /// Returns a slot for another payload, which calls this one with what `transform` makes of it.
  ///
  /// - Parameter transform: Runs once for each delivery, where the slot runs, and only if the
  ///   target is alive. No lock is held meanwhile.
  /// - Returns: A slot with the same target, delivery and origin.
  public func adapted<Source>(
    _ transform: @escaping @Sendable (Source) -> Payload
  ) -> SignalSlot<Source> {
    let body: SlotBody<Source>
    switch self.body {
    case .sync(let call):
      body = .sync { target, source in call(target, transform(source)) }
    case .async(let call):
      body = .async { target, source in await call(target, transform(source)) }
    }
    return SignalSlot<Source>(target: target, delivery: delivery, body: body, origin: origin)
  }
}

/// A slot that is being connected stays where it is.
@available(*, unavailable)
extension SignalSlot: Sendable {}

// MARK: - What the connect forms make
//
// Inlinable, like the connect forms: where the compiler sees the method behind `{ method($0)($1)
// }`, a delivery calls it; where it does not, each delivery makes a closure of the method first,
// which costs 60 ns and two allocations.

extension SignalSlot {
  /// A slot without a target.
  @inlinable
  init(
    _ delivery: Delivery, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping (Payload) -> Void
  ) {
    self.init(target: nil, delivery, .sync { _, payload in call(payload) }, fileID, line)
  }

  /// A slot with a target.
  ///
  /// The cast is right because a slot calls its body with the target it was made with.
  @inlinable
  init<Target: AnyObject>(
    _ target: Target, _ delivery: Delivery, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping (Target, Payload) -> Void
  ) {
    self.init(
      target: target, delivery,
      .sync { target, payload in
        unsafe call(unsafeDowncast(target.unsafelyUnwrapped, to: Target.self), payload)
      }, fileID, line)
  }

  /// A slot with a target whose code is the main actor's.
  @inlinable
  init<Target: AnyObject>(
    mainActor target: Target, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping @MainActor (Target, Payload) -> Void
  ) {
    self.init(target, .main, fileID, line, onItsIsolation(call))
  }

  /// An asynchronous slot without a target.
  @inlinable
  init(
    async delivery: Delivery, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping @Sendable (Payload) async -> Void
  ) {
    self.init(
      target: nil, delivery, .async { _, payload in await call(payload) }, fileID, line)
  }

  /// An asynchronous slot with a target.
  ///
  /// The cast is right for the same reason.
  @inlinable
  init<Target: AnyObject>(
    async target: Target, _ delivery: Delivery, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping @Sendable (Target, Payload) async -> Void
  ) {
    self.init(
      target: target, delivery,
      .async { target, payload in
        unsafe await call(unsafeDowncast(target.unsafelyUnwrapped, to: Target.self), payload)
      }, fileID, line)
  }
}
