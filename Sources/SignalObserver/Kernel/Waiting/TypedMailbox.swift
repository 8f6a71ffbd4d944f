public import Dispatch

/// A mailbox with room for payloads.
///
/// `@unchecked Sendable`: see the state of ``LineMailbox``. Unchecked exclusivity, as there.
@safe
@usableFromInline
final class TypedMailbox<Payload>: LineMailbox, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var storedIncoming = Fifo<Payload>()

  @inlinable var incoming: Fifo<Payload> {
    @inline(__always) _read { yield unsafe storedIncoming }
    @inline(__always) _modify { yield unsafe &storedIncoming }
  }

  @inlinable
  init(
    _ line: Line, _ queue: DispatchQueue?, _ buffering: SignalBuffering,
    _ operations: MailboxOperations = MailboxOperations(Payload.self)
  ) {
    super.init(line, queue, buffering, TypedOutgoingBuffer<Payload>(), operations)
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

@usableFromInline
final class TypedOutgoingBuffer<Payload>: OutgoingBuffer {
  /// Unchecked exclusivity, as in ``LineMailbox``.
  @exclusivity(unchecked) @usableFromInline var stored = Fifo<Payload>()

  @inlinable var payloads: Fifo<Payload> {
    @inline(__always) _read { yield unsafe stored }
    @inline(__always) _modify { yield unsafe &stored }
  }

  @inlinable
  override init() { super.init() }
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
      let outgoing = unsafe unsafeDowncast(mailbox.outgoing, to: TypedOutgoingBuffer<Payload>.self)
      if let count {
        mailbox.incoming.move(Int(count), to: &outgoing.payloads)
      } else if outgoing.payloads.isEmpty {
        swap(&mailbox.incoming, &outgoing.payloads)
      }
    }
    remove = { mailbox, oldestAlone in
      let mailbox = unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
      if oldestAlone || mailbox.incoming.isEmpty { return mailbox.incoming.popFirst() }
      var payloads = Fifo<Payload>()
      swap(&payloads, &mailbox.incoming)
      return payloads
    }
    unsafe takeOut = { mailbox, count, body in
      // Without counting the reference.
      let outgoing = unsafe Unmanaged.passUnretained(
        unsafeDowncast(mailbox.outgoing, to: TypedOutgoingBuffer<Payload>.self))
      unsafe outgoing._withUnsafeGuaranteedRef { outgoing in
        for _ in 0..<count {
          if outgoing.payloads.isEmpty { mailbox.refillOutgoing() }
          guard let payload = outgoing.payloads.popFirst(),
            unsafe withUnsafePointer(to: payload, { unsafe body($0) })
          else { return }
        }
      }
    }
  }
}
