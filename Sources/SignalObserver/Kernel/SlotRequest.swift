/// The body of a slot: the first argument is its target, the second the address of the payload,
/// valid until the body returns.
///
/// Payloads are passed by address so that the kernel is not generic: a slot costs one call of a
/// closure that was specialised where it was connected. With `Payload` as a type parameter, the
/// same call goes through a reabstraction thunk, and a lane looks up its layout at each step (320
/// ns against 30 for a queued delivery). The address is right because `SignalSlot<Payload>` makes
/// the body, and a signal of that payload is the only one that it can be attached to.
///
/// A synchronous body is given its target to keep: it is the reference that loading the weak one
/// has made, handed on to the method, instead of two more retains and releases (34 ns each, since
/// an object that is held weakly counts in a side table).
///
/// A synchronous body runs where its delivery says and checks nothing: the compiler proved that
/// place when the slot was connected.
@unsafe
@usableFromInline
enum SlotBody {
  case sync((__owned AnyObject?, UnsafeRawPointer) -> Void)
  case async(@Sendable (AnyObject?, UnsafeRawPointer) async -> Void)
}

/// The contents of a ``SignalSlot``, without the type of the payload.
@safe
@usableFromInline
struct SlotRequest {
  @usableFromInline let target: AnyObject?
  @usableFromInline let delivery: Delivery
  @usableFromInline let body: SlotBody
  let type: PayloadType
  @usableFromInline let fileID: StaticString
  @usableFromInline let line: UInt32
  /// A text for the description, in place of the slot's queue or actor, if it stands in front of
  /// another slot.
  @usableFromInline var label: (@Sendable () -> String)?
  /// The bound of the pending payloads.
  @usableFromInline var buffering = SignalBuffering.unbounded

  @usableFromInline
  init(
    target: AnyObject?, delivery: Delivery, body: SlotBody, type: PayloadType,
    fileID: StaticString, line: UInt32
  ) {
    self.target = target
    self.delivery = delivery
    unsafe self.body = body
    self.type = type
    self.fileID = fileID
    self.line = line
  }
}
