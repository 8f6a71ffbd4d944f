public import Dispatch

/// A mailbox with room for payloads.
///
/// `@unchecked Sendable`: see the state of ``LineMailbox``. Unchecked exclusivity, as there.
@safe
@usableFromInline
final class TypedMailbox<Payload>: LineMailbox, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var storedBack = Fifo<Payload>()

  @inlinable var back: Fifo<Payload> {
    @inline(__always) _read { yield unsafe storedBack }
    @inline(__always) _modify { yield unsafe &storedBack }
  }

  @inlinable
  init(
    _ line: Line, _ queue: DispatchQueue?, _ buffering: SignalBuffering,
    _ operations: MailboxOperations = MailboxOperations(Payload.self)
  ) {
    super.init(line, queue, buffering, TypedFrontBuffer<Payload>(), operations)
  }

  /// Makes the mailbox of a slot: one of boxes, if a payload has more than 1 KiB.
  @inlinable
  static func make(_ request: SlotRequest) -> Mailbox {
    let (line, queue, buffering) = request.wait
    return MemoryLayout<Payload>.size > 1024
      ? TypedMailbox<PayloadBox>(line, queue, buffering, MailboxOperations(boxed: Payload.self))
      : TypedMailbox(line, queue, buffering)
  }
}

@usableFromInline
final class TypedFrontBuffer<Payload>: FrontBuffer {
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
        .back.append(payload.assumingMemoryBound(to: Payload.self).pointee)
    }
    moveToFront = { mailbox, count in
      let mailbox = unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
      let front = unsafe unsafeDowncast(mailbox.front, to: TypedFrontBuffer<Payload>.self)
      if count < .max {
        mailbox.back.move(Int(count), to: &front.payloads)
      } else if front.payloads.isEmpty {
        swap(&mailbox.back, &front.payloads)
      }
    }
    remove = { mailbox, oldestAlone in
      let mailbox = unsafe unsafeDowncast(mailbox, to: TypedMailbox<Payload>.self)
      if oldestAlone || mailbox.back.isEmpty { return mailbox.back.popFirst() }
      var payloads = Fifo<Payload>()
      swap(&payloads, &mailbox.back)
      return payloads
    }
    unsafe takeOut = { mailbox, count, body in
      // Without counting the reference.
      let front = unsafe Unmanaged.passUnretained(
        unsafeDowncast(mailbox.front, to: TypedFrontBuffer<Payload>.self))
      unsafe front._withUnsafeGuaranteedRef { front in
        for _ in 0..<count {
          if front.payloads.isEmpty { mailbox.refillFront() }
          guard let payload = front.payloads.popFirst(),
            unsafe withUnsafePointer(to: payload, { unsafe body($0) })
          else { return }
        }
      }
    }
  }
}
