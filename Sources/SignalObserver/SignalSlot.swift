/// A slot about to be connected: its function, its target and its place.
///
/// The connect forms make one and pass it to ``SignalSource/attach(_:)``. It holds its target
/// strongly until it is connected. The connection then holds the target weakly
/// ([guarantee 8](doc:Guarantees)). An operator adapts the slot that it is given: see
/// ``SignalSource``.
public struct SignalSlot<Payload> {
  @usableFromInline var request: SlotRequest

  @inlinable
  init(
    target: AnyObject?, _ place: RequestedPlace, _ body: SlotBody, _ fileID: StaticString,
    _ line: UInt32
  ) {
    unsafe request = SlotRequest(
      target: target, place: place, body: body,
      makeMailbox: { TypedMailbox<Payload>.make($0) },
      origin: SlotOrigin(fileID, line))
  }

  /// Makes the same slot with another body, for another payload.
  ///
  /// `dropsNone` says whether the body calls the other one with each payload.
  @inlinable
  init<Other>(_ other: SignalSlot<Other>, dropsNone: Bool = false, _ body: SlotBody) {
    request = other.request
    if !dropsNone { (request.quota, request.origin.mayDrop) = (.max, true) }
    unsafe request.body = body
    request.makeMailbox = { TypedMailbox<Payload>.make($0) }
  }

  /// Returns a slot for another payload, which calls this slot with the result of `transform`.
  ///
  /// Use this for an operator that sends a payload for each one that it receives, and
  /// `compactAdapted` for one that drops some. Both payloads are `Sendable`, because the source may
  /// send from another place than the one where the slot runs.
  ///
  /// - Parameter transform: Runs once for each delivery, where the slot runs, and only if the
  ///   target is alive. No lock is held meanwhile. If it cancels or suspends the connection, the
  ///   slot is not called.
  /// - Returns: A slot with the same target and place.
  /// - Complexity: A delivery costs one more call, and allocates nothing.
  @inlinable
  public func adapted<Source: Sendable>(
    _ transform: @escaping @Sendable (Source) -> Payload
  ) -> SignalSlot<Source> where Payload: Sendable {
    uncheckedAdapted(transform)
  }

  /// The same as `adapted`, for an operator whose two payloads are either both `Sendable` or both
  /// not.
  @inlinable
  func uncheckedAdapted<Source>(
    _ transform: @escaping @Sendable (Source) -> Payload
  ) -> SignalSlot<Source> {
    switch unsafe request.body {
    case .sync(let call):
      unsafe SignalSlot<Source>(
        self, dropsNone: true,
        .sync { target, connection, source in
          let payload = unsafe transform(source.assumingMemoryBound(to: Source.self).pointee)
          guard connection.isActive else { return connection.recordDrop() }
          unsafe withUnsafePointer(to: payload) { unsafe call(target, connection, $0) }
        })
    case .async(let makeCall):
      unsafe SignalSlot<Source>(
        self, dropsNone: true,
        .async { target, connection, source in
          let payload = unsafe transform(source.assumingMemoryBound(to: Source.self).pointee)
          guard connection.isActive else { return nil }
          return unsafe withUnsafePointer(to: payload) { unsafe makeCall(target, connection, $0) }
        })
    }
  }

  /// Returns a slot for another payload, which calls this slot with the result of `transform`, or
  /// not at all if the result is `nil`.
  ///
  /// If the payload of this slot is optional, its `nil` is a payload: return `.some(nil)` to
  /// deliver it, and `nil` to deliver nothing. Everything else is as for ``adapted(_:)``.
  @inlinable
  public func compactAdapted<Source: Sendable>(
    _ transform: @escaping @Sendable (Source) -> Payload?
  ) -> SignalSlot<Source> where Payload: Sendable {
    uncheckedCompactAdapted(transform)
  }

  /// Returns a slot for the same payload, which calls this slot with the result of `transform`, or
  /// not at all if the result is `nil`.
  ///
  /// ```swift
  /// func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
  ///   let count = Count()  // made here, so that connections do not share it
  ///   return base.attach(
  ///     slot.compactAdapted { [n] in count.next() % n == 0 ? $0 : nil })
  /// }
  /// ```
  ///
  /// The payload keeps its type, and need not be `Sendable`. To send another type, use the form for
  /// two payloads. Everything else is as for ``adapted(_:)``.
  @inlinable
  public func compactAdapted(
    _ transform: @escaping @Sendable (Payload) -> Payload?
  ) -> SignalSlot<Payload> {
    uncheckedCompactAdapted(transform)
  }

  /// The same as `compactAdapted`, for an operator whose two payloads are either both `Sendable` or
  /// both not.
  @inlinable
  func uncheckedCompactAdapted<Source>(
    _ transform: @escaping @Sendable (Source) -> Payload?
  ) -> SignalSlot<Source> {
    switch unsafe request.body {
    case .sync(let call):
      unsafe SignalSlot<Source>(
        self,
        .sync { target, connection, source in
          let payload = unsafe transform(source.assumingMemoryBound(to: Source.self).pointee)
          guard let payload, connection.isActive else { return connection.recordDrop() }
          unsafe withUnsafePointer(to: payload) { unsafe call(target, connection, $0) }
        })
    case .async(let makeCall):
      unsafe SignalSlot<Source>(
        self,
        .async { target, connection, source in
          let payload = unsafe transform(source.assumingMemoryBound(to: Source.self).pointee)
          guard let payload, connection.isActive else { return nil }
          return unsafe withUnsafePointer(to: payload) { unsafe makeCall(target, connection, $0) }
        })
    }
  }

  /// Returns the same slot, which is called only with payloads for which `isIncluded` returns true.
  ///
  /// The payload stays at its address, and is not copied.
  @inlinable
  func filtered(_ isIncluded: @escaping @Sendable (Payload) -> Bool) -> SignalSlot<Payload> {
    switch unsafe request.body {
    case .sync(let call):
      unsafe SignalSlot(
        self,
        .sync { target, connection, payload in
          guard unsafe isIncluded(payload.assumingMemoryBound(to: Payload.self).pointee),
            connection.isActive
          else { return connection.recordDrop() }
          unsafe call(target, connection, payload)
        })
    case .async(let makeCall):
      unsafe SignalSlot(
        self,
        .async { target, connection, payload in
          guard unsafe isIncluded(payload.assumingMemoryBound(to: Payload.self).pointee),
            connection.isActive
          else { return nil }
          return unsafe makeCall(target, connection, payload)
        })
    }
  }

  /// Returns the same slot, which is called only if `begins` returns true, and then followed by
  /// `ends`.
  ///
  /// Neither runs code of the user, so nobody asks the connection between `begins` and the call.
  /// `begins` drops no payload before the connection has had `quota` of them.
  @inlinable
  func called(
    atMost quota: Int, if begins: @escaping @Sendable (SignalObserver) -> Bool,
    then ends: @escaping @Sendable () -> Void
  ) -> SignalSlot<Payload> {
    var slot: SignalSlot<Payload>
    switch unsafe request.body {
    case .sync(let call):
      unsafe slot = SignalSlot(
        self, dropsNone: true,
        .sync { target, connection, payload in
          guard begins(connection) else { return connection.recordDrop() }
          unsafe call(target, connection, payload)
          ends()
        })
    case .async(let makeCall):
      unsafe slot = SignalSlot(
        self, dropsNone: true,
        .async { target, connection, payload in
          guard begins(connection) else { return nil }
          guard let call = unsafe makeCall(target, connection, payload) else {
            ends()
            return nil
          }
          return {
            await call()
            ends()
          }
        })
    }
    slot.request.quota = min(quota, slot.request.quota)
    slot.request.origin.mayDrop = true
    return slot
  }
}

/// A slot does not leave the isolation of the code that connects it.
@available(*, unavailable)
extension SignalSlot: Sendable {}

// MARK: - The slots of the connect forms
//
// Inlinable, as the connect forms are. If the compiler sees the method behind `{ method($0)($1) }`,
// a delivery calls the method. Otherwise each delivery first makes a closure of the method, for 60
// ns and two allocations.
//
// The casts are right because a slot calls its body with the target that it was made with, and with
// payloads of its own type.

/// Consumes a target that is always nil, without a call that releases it.
///
/// Swift would call the runtime for that each time, and keep a frame for it (16 of 80
/// instructions). A target here would never be released.
@inlinable @inline(__always)
func forgetNil(_ target: __owned AnyObject?) {
  if let target { _ = unsafe Unmanaged.passRetained(target) }
}

extension SignalSlot {
  /// A slot without a target.
  @inlinable
  init(
    _ place: RequestedPlace, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping (Payload) -> Void
  ) {
    unsafe self.init(
      target: nil, place,
      .sync { target, _, payload in
        unsafe call(payload.assumingMemoryBound(to: Payload.self).pointee)
        forgetNil(target)
      }, fileID, line)
  }

  /// A slot with a target, without which the kernel does not call it: `unsafelyUnwrapped` is right.
  @inlinable
  init<Target: AnyObject>(
    _ target: Target, _ place: RequestedPlace, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping (__owned Target, Payload) -> Void
  ) {
    unsafe self.init(
      target: target, place,
      .sync { target, _, payload in
        unsafe call(
          unsafeDowncast(target.unsafelyUnwrapped, to: Target.self),
          payload.assumingMemoryBound(to: Payload.self).pointee)
      }, fileID, line)
  }

  /// A slot with a target that calls a function value.
  ///
  /// A function value borrows its arguments. The initialiser above takes a function that owns its
  /// target. To convert one into the other, Swift would allocate a wrapper.
  @inlinable
  init<Target: AnyObject>(
    _ target: Target, calling call: @escaping (Target, Payload) -> Void, _ place: RequestedPlace,
    _ fileID: StaticString, _ line: UInt32
  ) {
    unsafe self.init(
      target: target, place,
      .sync { target, _, payload in
        unsafe call(
          unsafeDowncast(target.unsafelyUnwrapped, to: Target.self),
          payload.assumingMemoryBound(to: Payload.self).pointee)
      }, fileID, line)
  }

  /// An asynchronous slot without a target.
  @inlinable
  init(
    async place: RequestedPlace, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping @Sendable (Payload) async -> Void
  ) {
    unsafe self.init(
      target: nil, place,
      .async { _, _, payload in
        let payload = unsafe payload.assumingMemoryBound(to: Payload.self).pointee
        return { await call(payload) }
      }, fileID, line)
  }

  /// An asynchronous slot with a target.
  @inlinable
  init<Target: AnyObject>(
    async target: Target, _ place: RequestedPlace, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping @Sendable (Target, Payload) async -> Void
  ) {
    unsafe self.init(
      target: target, place,
      .async { target, _, payload in
        let target = unsafe unsafeDowncast(target.unsafelyUnwrapped, to: Target.self)
        let payload = unsafe payload.assumingMemoryBound(to: Payload.self).pointee
        return { await call(target, payload) }
      }, fileID, line)
  }
}
