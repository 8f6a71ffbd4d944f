/// What a slot does with a payload: the first argument is its target, the second the address of the
/// payload, valid until the body returns.
///
/// Payloads are passed by address so that the kernel is not generic: a slot costs one call of a
/// closure that was specialised where it was connected. With `Payload` as a type parameter, the same
/// call goes through a reabstraction thunk, and a mailbox looks up its layout at each step (320 ns
/// against 30 for a queued delivery). The address is right because `SignalSlot<Payload>` makes the
/// body, and a signal of that payload is the only one that it can be attached to.
///
/// A synchronous body is given its target to keep: it is the reference that loading the weak one has
/// made, handed on to the method, instead of two more retains and releases (34 ns each, since an
/// object that is held weakly counts in a side table).
///
/// A synchronous body runs where its delivery says and checks nothing: the compiler proved that
/// place when the slot was connected.
@unsafe
@usableFromInline
enum SlotBody {
  case sync((__owned AnyObject?, UnsafeRawPointer) -> Void)
  case async(@Sendable (AnyObject?, UnsafeRawPointer) async -> Void)
}

/// What ``SignalSlot`` carries, without the type of the payload.
@safe
@usableFromInline
struct SlotRequest {
  @usableFromInline let target: AnyObject?
  @usableFromInline let delivery: Delivery
  @usableFromInline let body: SlotBody
  let type: PayloadType
  @usableFromInline let fileID: StaticString
  @usableFromInline let line: UInt32

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

/// One connection, as the list of its signal holds it: inline if it has no mailbox.
///
/// Ownership:
///
///     SlotList ──▶ Slot ──▶ SignalObserver ──▶ SlotList   (until the connection ends, and
///                   │  └──▶ Mailbox ◀── SignalObserver     ending takes the slot out)
///                   └╌╌weak╌╌▶ target
///
/// A mailbox knows neither slot nor observer.
///
/// `@unchecked Sendable`: constant but for `weakTarget`, which is never written after `init` (`weak`
/// asks for `var`; loading it is atomic), and `birth`, which the list's lock guards. What a slot
/// calls is as `Sendable` as the connect form that made it demands; a signal whose payload is not
/// `Sendable` stays in one isolation domain, and its slots with it.
@safe
@usableFromInline
final class Slot: @unchecked Sendable {
  // In an order that leaves no gaps: 88 bytes.
  @usableFromInline let observer: SignalObserver
  let fileID: StaticString
  private let isTargeted: Bool
  let line: UInt32
  /// The generation in which the slot was connected.
  ///
  /// Guarded by the list's lock.
  var birth: UInt32 = 0
  /// Weak: strong would keep the target alive for as long as the signal (guarantee 8), unowned would
  /// crash after its death.
  private weak var weakTarget: AnyObject?
  let mailbox: Mailbox?
  /// What an inline slot calls; unused if there is a mailbox.
  ///
  /// Not optional, because the compiler copies an optional closure before it calls it, at two
  /// atomic operations a call.
  private let body: (__owned AnyObject?, UnsafeRawPointer) -> Void

  init(_ request: borrowing SlotRequest, _ observer: SignalObserver) {
    if case .inline = request.delivery, case .sync(let body) = unsafe request.body {
      unsafe self.body = body
      self.mailbox = nil
    } else {
      unsafe self.body = { _, _ in }
      self.mailbox = unsafe Mailbox(request.delivery, request.body, request.type)
    }
    self.observer = observer
    self.isTargeted = request.target != nil
    self.weakTarget = request.target
    self.fileID = request.fileID
    self.line = request.line
    observer.mailbox = mailbox
    plainBegin(self, "a slot")
  }

  /// The target, if there is one and it is alive.
  @inline(__always)
  var target: AnyObject? { weakTarget }

  /// Whether there was a target that has died.
  ///
  /// The connection is ended as soon as anybody finds out.
  var isTargetGone: Bool {
    schedulePoint()
    return isTargeted && weakTarget == nil
  }

  /// Calls `body` with the target, held for as long as that takes, or with nil if the slot has none.
  ///
  /// If the target is gone, ends the connection and calls nobody.
  @inline(__always)
  func call(
    _ body: (__owned AnyObject?, UnsafeRawPointer) -> Void, with address: UnsafeRawPointer
  ) {
    schedulePoint()
    if isTargeted {
      guard let target = weakTarget else { return observer.cancel() }
      schedulePoint()
      unsafe body(consume target, address)
    } else {
      unsafe body(nil, address)
    }
  }

  /// Delivers the payload at `address`, or hands it to the mailbox.
  @inline(__always)
  func receive(_ address: UnsafeRawPointer, in emission: UnsafeMutablePointer<Emission>) {
    if let mailbox {
      unsafe mailbox.send(address, to: self, in: emission)
    } else {
      unsafe call(body, with: address)
    }
  }

  /// Ends the connection, but not before what was emitted has been delivered (guarantee 10).
  ///
  /// No emission will follow.
  func finish() {
    if mailbox?.finish(self) ?? true { observer.cancel() }
  }

  func endIfTargetIsGone() {
    if isTargetGone { observer.cancel() }
  }
}
