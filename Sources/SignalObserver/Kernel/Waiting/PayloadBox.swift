/// A copy of a large payload, without its type.
///
/// A mailbox moves a payload several times. If a payload is large, the compiler would write each
/// move field by field, which takes it minutes. A box copies and releases its payload by address.
@safe
@usableFromInline
final class PayloadBox {
  @usableFromInline let payload: UnsafeMutableRawPointer
  private let release: (UnsafeMutableRawPointer) -> Void

  @usableFromInline
  init(_ payload: UnsafeMutableRawPointer, release: @escaping (UnsafeMutableRawPointer) -> Void) {
    unsafe self.payload = payload
    unsafe self.release = release
  }

  deinit { unsafe release(payload) }

  /// Copies the payload at this address.
  @inlinable
  convenience init<Payload>(copying payload: UnsafePointer<Payload>) {
    let copy = UnsafeMutablePointer<Payload>.allocate(capacity: 1)
    unsafe copy.initialize(from: payload, count: 1)
    unsafe self.init(copy) { copy in
      let copy = unsafe copy.assumingMemoryBound(to: Payload.self)
      unsafe copy.deinitialize(count: 1)
      unsafe copy.deallocate()
    }
  }
}

extension MailboxOperations {
  @usableFromInline static var ofBoxes: MailboxOperations { MailboxOperations(PayloadBox.self) }

  /// The operations of a mailbox of boxes, each with a payload of this type.
  ///
  /// The casts are right because only these operations make the boxes of a mailbox.
  @inlinable
  init<Payload>(boxed _: Payload.Type) {
    let boxes = MailboxOperations.ofBoxes
    unsafe append = { mailbox, payload in
      let box = unsafe PayloadBox(copying: payload.assumingMemoryBound(to: Payload.self))
      unsafe withUnsafePointer(to: box) { unsafe boxes.append(mailbox, $0) }
    }
    moveToOutgoing = boxes.moveToOutgoing
    remove = boxes.remove
    unsafe consume = { mailbox, count, body in
      unsafe boxes.consume(mailbox, count) { box in
        let box = unsafe box.assumingMemoryBound(to: PayloadBox.self).pointee
        return unsafe body(box.payload)
      }
    }
  }
}
