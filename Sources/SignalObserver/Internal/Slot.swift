/// What a signal's list knows of a slot, whatever its payload.
///
/// Ownership:
///
///     SlotList ──▶ Slot ──▶ SignalObserver ──▶ SlotList   (until the connection ends, which takes the slot out)
///                   │  └──▶ Mailbox ◀── SignalObserver    (a mailbox knows neither)
///                   └╌╌weak╌╌▶ target
///
/// `@unchecked Sendable`: constant but for `target`, which is never written after `init` (`weak`
/// asks for `var`; loading it is atomic), and `birth`, which the list's lock guards. What a slot
/// calls is as `Sendable` as the connect form that made it demands; a signal whose payload is not
/// `Sendable` stays in one isolation domain, and its slots with it.
class AnySlot: @unchecked Sendable {
  final let observer: SignalObserver
  final let origin: SlotOrigin
  /// Weak: strong would keep the target alive for as long as the signal (guarantee 8), unowned
  /// would crash after its death.
  private final weak var weakTarget: AnyObject?
  private final let isTargeted: Bool
  /// The generation in which the slot was connected.
  ///
  /// Guarded by the list's lock.
  final var birth: UInt32 = 0

  init(_ observer: SignalObserver, target: AnyObject?, origin: SlotOrigin) {
    self.observer = observer
    self.origin = origin
    self.weakTarget = target
    self.isTargeted = target != nil
  }

  /// The target, if there is one and it is alive.
  @inline(__always)
  final var target: AnyObject? { weakTarget }

  /// Whether there was a target that has died.
  ///
  /// A slot whose target is gone is ended as soon as anybody finds out.
  final var isTargetGone: Bool { isTargeted && weakTarget == nil }

  /// Calls `body` with the target, held for as long as that takes, or with nil if the slot has
  /// none.
  ///
  /// If the target is gone, ends the connection and calls nobody.
  @inline(__always)
  final func withTarget(_ body: (AnyObject?) -> Void) {
    guard isTargeted else { return body(nil) }
    guard let target = weakTarget else { return observer.cancel() }
    body(target)
  }

  /// No emission will follow.
  ///
  /// Ends the connection, but not before what was emitted has been delivered (guarantee 10).
  final func finish() {
    if observer.mailbox?.finish() ?? true { observer.cancel() }
  }

  final func endIfTargetIsGone() {
    if isTargetGone { observer.cancel() }
  }
}

/// Where a slot was connected.
struct SlotOrigin {
  let fileID: StaticString
  let line: UInt32
}

/// What a slot does with a payload; the first argument is its target.
///
/// A synchronous body runs where its delivery says and checks nothing: the compiler proved that
/// place when the slot was connected.
@usableFromInline
enum SlotBody<Payload> {
  case sync((AnyObject?, Payload) -> Void)
  case async(@Sendable (AnyObject?, Payload) async -> Void)
}

/// A slot of a signal that sends `Payload`: inline if it has a body of its own, else by way of a
/// mailbox.
///
/// `@unchecked Sendable`: see ``AnySlot``; what is added is constant.
final class Slot<Payload>: AnySlot, @unchecked Sendable {
  private let body: ((AnyObject?, Payload) -> Void)?
  private let mailbox: Mailbox<Payload>?

  init(_ request: SignalSlot<Payload>, _ observer: SignalObserver) {
    switch (request.delivery, request.body) {
    case (.inline, .sync(let body)):
      self.body = body
      self.mailbox = nil
    case (let delivery, let body):
      self.body = nil
      self.mailbox = Mailbox(delivery, body)
    }
    observer.mailbox = mailbox
    super.init(observer, target: request.target, origin: request.origin)
  }

  /// Delivers `payload`, or hands it to the mailbox.
  @inline(__always)
  func receive(_ payload: Payload, from isolation: ObjectIdentifier?) {
    if let mailbox {
      mailbox.send(payload, to: self, from: isolation)
    } else if let body {
      withTarget { body($0, payload) }
    }
  }
}
