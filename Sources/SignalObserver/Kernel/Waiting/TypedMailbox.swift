public import Dispatch

/// A mailbox with room for payloads.
///
/// `@unchecked Sendable`: see the state of ``Mailbox``. Unchecked exclusivity, as there.
@safe
@usableFromInline
final class TypedMailbox<Payload>: Mailbox, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var pending = Fifo<Payload>()

  @inlinable
  init(
    _ line: Line, _ queue: DispatchQueue?, _ buffering: SignalBuffering,
    _ operations: MailboxOperations = MailboxOperations(Payload.self)
  ) {
    super.init(line, queue, buffering, Hand<Payload>(), operations)
  }

  /// Makes a mailbox for this payload: one of boxes, if a payload has more than 1 KiB.
  @inlinable
  static func make(
    _ line: Line, _ queue: DispatchQueue?, _ buffering: SignalBuffering
  ) -> Mailbox {
    MemoryLayout<Payload>.size > 1024
      ? TypedMailbox<PayloadBox>(line, queue, buffering, MailboxOperations(boxed: Payload.self))
      : TypedMailbox(line, queue, buffering)
  }
}

/// The payloads of a mailbox that a drain has taken and not delivered.
///
/// It is an object of its own, because an emission writes to the mailbox meanwhile: on a shared
/// cache line, the two would slow each other down. A drain fills it under the lock of the line, and
/// takes nothing from a closed mailbox. Only a thread that the
/// connection counts in empties it: the drain, or the last one out.
@usableFromInline
class AnyHand {
  /// The number of payloads, and above its 16 bits that of those which are here: a drain takes at
  /// most `LineState.limit` payloads.
  ///
  /// The drain and the last one out write it, one after the other. Relaxed, because others only
  /// describe it.
  private let counts = Atomic(0)

  /// How many payloads there are.
  final var count: Int { counts.load(ordering: .relaxed) & 0xFFFF }
  /// How many of them are here (see ``Turn/isHere``).
  final var hereCount: Int { counts.load(ordering: .relaxed) >> 16 }

  @usableFromInline
  init() {}

  /// Adds this number of payloads, all of them here or none.
  @inline(__always)
  final func add(_ number: Int32, isHere: Bool) {
    let old = counts.load(ordering: .relaxed)
    counts.store(old + Int(number) * (isHere ? 0x10001 : 1), ordering: .relaxed)
  }

  final func clear() { counts.store(0, ordering: .relaxed) }
}

@usableFromInline
final class Hand<Payload>: AnyHand {
  /// Unchecked exclusivity, as in ``Mailbox``.
  @exclusivity(unchecked) @usableFromInline var payloads = Fifo<Payload>()

  @inlinable
  override init() { super.init() }
}
