public import Dispatch

/// A mailbox with room for payloads.
///
/// `@unchecked Sendable`: see the state of ``LineMailbox``. Unchecked exclusivity, as there.
@safe
@usableFromInline
final class TypedMailbox<Payload>: LineMailbox, @unchecked Sendable {
  @safe @exclusivity(unchecked) @usableFromInline var outgoing = Fifo<Payload>()
  /// Keeps the front of the outgoing, which a drain writes, 64 bytes from the back of the incoming,
  /// which an emission writes: that is the length of a cache line.
  private let gap = 0
  @safe @exclusivity(unchecked) @usableFromInline var incoming = Fifo<Payload>()

  @inlinable
  override init(
    _ line: Line, _ queue: DispatchQueue?, _ buffering: SignalBuffering,
    _ operations: MailboxOperations = MailboxOperations(Payload.self)
  ) {
    super.init(line, queue, buffering, operations)
  }

  /// Makes the mailbox of a slot: one of boxes, if a payload has more than 1 KiB.
  @inlinable
  static func make(_ request: SlotRequest) -> Mailbox {
    let (line, queue, buffering) = request.findLine()
    return MemoryLayout<Payload>.size > 1024
      ? TypedMailbox<PayloadBox>(line, queue, buffering, MailboxOperations(boxed: Payload.self))
      : TypedMailbox(line, queue, buffering)
  }
}

extension MailboxOperations {
  /// The casts are right because a mailbox is given the operations of its own type.
  @inlinable
  init<Payload>(_: Payload.Type) {
    unsafe append = { mailbox, payload in
      unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
        .incoming.append(payload.assumingMemoryBound(to: Payload.self).pointee)
    }
    moveToOutgoing = { mailbox, count in
      let mailbox = unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
      if let count {
        mailbox.incoming.move(Int(count), to: &mailbox.outgoing)
      } else if mailbox.outgoing.isEmpty {
        swap(&mailbox.incoming, &mailbox.outgoing)
      }
    }
    remove = { mailbox, removal in
      let mailbox = unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
      if removal == .oldest || mailbox.incoming.isEmpty { return mailbox.incoming.popFirst() }
      var payloads = Fifo<Payload>()
      swap(&payloads, &mailbox.incoming)
      return payloads
    }
    unsafe consume = { mailbox, count, body in
      let mailbox = unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
      for _ in 0..<count {
        if mailbox.outgoing.isEmpty { mailbox.refillOutgoing() }
        guard let payload = mailbox.outgoing.popFirst(),
          unsafe withUnsafePointer(to: payload, { unsafe body($0) })
        else { return }
      }
    }
  }
}
