public import Dispatch

/// The function of a slot.
///
/// It takes the target (nil if the slot has none), the connection, and the address of a payload.
///
/// An operator makes a function that calls the user's closure, and then the function of the slot.
/// Between the two, it asks the connection whether the slot may still be called: the closure may
/// have cancelled or suspended the connection.
///
/// A payload passes by its address, because a connection does not know its type. The address is
/// right because `SignalSlot<Payload>` makes the function, and a slot is attached to signals of
/// that payload only. A function does not check that it runs in the place of its slot: the connect
/// form has chosen the place.
@unsafe
@usableFromInline
enum SlotBody {
  /// Consumes the target.
  ///
  /// The caller passes on the reference that it got by loading the weak one.
  case sync((__owned AnyObject?, SignalObserver, UnsafeRawPointer) -> Void)
  /// Copies the payload, and returns the call to await, or nil.
  case async(@Sendable (AnyObject?, SignalObserver, UnsafeRawPointer) -> (() async -> Void)?)
}

/// The contents of a ``SignalSlot``, without the type of the payload.
@safe
@usableFromInline
struct SlotRequest {
  @usableFromInline let target: AnyObject?
  @usableFromInline let place: RequestedPlace
  @usableFromInline var body: SlotBody
  /// Makes the mailbox of the slot, if the slot does not run inline.
  @usableFromInline
  var makeMailbox: (Line, DispatchQueue?, SignalBuffering) -> Mailbox
  @usableFromInline var origin: SlotOrigin
  /// The limit on the payloads that wait.
  @usableFromInline var buffering = SignalBuffering.unbounded
  /// How many payloads the slot takes at most, if it takes each one that waits.
  ///
  /// No more wait for it, unless ``buffering`` says how many do.
  @usableFromInline var quota = Int.max
  /// The observer to return to the user, if this slot is a part of an operator.
  @usableFromInline var handle: SignalObserver?

  @usableFromInline
  init(
    target: AnyObject?, place: RequestedPlace, body: SlotBody,
    makeMailbox: @escaping (Line, DispatchQueue?, SignalBuffering) -> Mailbox,
    origin: SlotOrigin
  ) {
    self.target = target
    self.place = place
    unsafe self.body = body
    self.makeMailbox = makeMailbox
    self.origin = origin
  }
}
