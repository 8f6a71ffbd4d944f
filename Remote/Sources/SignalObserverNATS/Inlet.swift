import CNats

/// A message as libnats has it, owned by whoever holds it.
///
/// Sendable because libnats does not touch a message that it has handed over, and one owner has it.
struct RawMessage: @unchecked Sendable {
  let pointer: OpaquePointer

  var subject: String { String(cString: natsMsg_GetSubject(pointer)) }

  /// Where the message can be answered; of a stream's messages, what the server says about them.
  var reply: String? { natsMsg_GetReply(pointer).map { String(cString: $0) } }

  /// The bytes, which are there until the message is destroyed.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: natsMsg_GetData(pointer), count: Int(natsMsg_GetDataLength(pointer)))
  }

  /// The status of an answer without a body: 503 where nobody answers.
  var status: Int? {
    guard natsMsg_GetDataLength(pointer) == 0 else { return nil }
    return header("Status").flatMap { Int($0) }
  }

  func header(_ name: String) -> String? {
    var value: UnsafePointer<CChar>?
    guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK, let value else { return nil }
    return String(cString: value)
  }

  func destroy() { natsMsg_Destroy(pointer) }
}

/// One subscription, which outlives the connections that it is made on.
///
/// `@unchecked Sendable`: `subscription` is used on the link's wire queue only.
final class Inlet: @unchecked Sendable {
  let subject: String
  /// Takes a message, on a thread of libnats that must not wait.
  let receive: @Sendable (RawMessage) -> Void
  /// The bus is closed: nothing more will come.
  let end: @Sendable () -> Void
  private var subscription: OpaquePointer?

  init(
    _ subject: String, receive: @escaping @Sendable (RawMessage) -> Void,
    end: @escaping @Sendable () -> Void = {}
  ) {
    self.subject = subject
    self.receive = receive
    self.end = end
  }

  func subscribe(on connection: OpaquePointer) -> natsStatus {
    forget()
    // Taken back when libnats has called for the last time.
    let this = Unmanaged.passRetained(self)
    let status = natsConnection_Subscribe(
      &subscription, connection, subject, received, this.toOpaque())
    guard status == NATS_OK, let subscription else {
      this.release()
      return status
    }
    natsSubscription_SetOnCompleteCB(subscription, completed, this.toOpaque())
    // The callback only puts messages into a bounded buffer, so that they wait here no longer than
    // the thread is kept off the processor.
    natsSubscription_SetPendingLimits(subscription, 1 << 20, 256 << 20)
    return NATS_OK
  }

  func unsubscribe() {
    if let subscription { natsSubscription_Unsubscribe(subscription) }
    forget()
  }

  /// Lets go of a subscription that has ended with its connection.
  func forget() {
    if let subscription { natsSubscription_Destroy(subscription) }
    subscription = nil
  }
}

// The closure is the inlet that `subscribe` retained: it is there until `completed` has released it,
// which libnats calls last.

private let received: natsMsgHandler = { _, _, message, closure in
  guard let message, let closure else { return }
  Unmanaged<Inlet>.fromOpaque(closure).takeUnretainedValue().receive(RawMessage(pointer: message))
}

private let completed: natsOnCompleteCB = { closure in
  guard let closure else { return }
  Unmanaged<Inlet>.fromOpaque(closure).release()
}
