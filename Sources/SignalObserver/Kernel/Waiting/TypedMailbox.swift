public import Dispatch

/// A mailbox with room for payloads.
///
/// `@unchecked Sendable`: see the state of ``Mailbox``. Unchecked exclusivity, as there.
@safe
@usableFromInline
final class TypedMailbox<Payload>: Mailbox, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var pending = Fifo<Payload>()

  @inlinable
  init(_ line: Line, _ queue: DispatchQueue?, _ buffering: SignalBuffering) {
    super.init(
      line, queue, buffering, Hand<Payload>(),
      MailboxOperations(Payload.self))
  }

  /// The hand, with its type: `init` passes a `Hand<Payload>`, and nobody replaces it.
  @inlinable
  var typedHand: Hand<Payload> { unsafe unsafeDowncast(hand, to: Hand<Payload>.self) }

  @inlinable
  func remove(_ part: MailboxOperations.Part) -> Any? {
    var payloads = Fifo<Payload>()
    switch part {
    case .oldestPending: return unsafe pending.popFirst()
    case .pending: unsafe swap(&payloads, &pending)
    case .hand: unsafe swap(&payloads, &typedHand.payloads)
    }
    return payloads.isEmpty ? nil : payloads
  }
}

/// The payloads of a mailbox that a drain has taken and not delivered.
///
/// It is an object of its own, because an emission writes to the mailbox meanwhile: on a shared
/// cache line, the two would slow each other down. A drain fills it under the lock of the line, and
/// takes nothing from a closed mailbox (see `LineState.removeGone`). Only a thread that the
/// connection counts in empties it: the drain, or the last one out.
@usableFromInline
class AnyHand {
  private let storedCount = Atomic(0)

  /// How many payloads there are; relaxed, because other threads than the drain only describe it.
  final var count: Int32 {
    get { Int32(truncatingIfNeeded: storedCount.load(ordering: .relaxed)) }
    set { storedCount.store(Int(newValue), ordering: .relaxed) }
  }

  @usableFromInline
  init() {}
}

@usableFromInline
final class Hand<Payload>: AnyHand {
  /// Unchecked exclusivity, as in ``Mailbox``.
  @exclusivity(unchecked) @usableFromInline var payloads = Fifo<Payload>()

  @inlinable
  override init() { super.init() }
}
