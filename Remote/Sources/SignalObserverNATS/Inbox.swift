import CNats
import Foundation

/// The subscription that receives the answers to all requests of a bus.
///
/// Only the bus and the server know its name, because anybody who knows it could answer. Messages
/// from a stream have the subject on which they were stored, so each reader has a subscription of
/// its own.
final class Inbox: Sendable {
  private let base: String
  var prefix: String { base + ".a" }

  /// Returns a subject for a reader.
  func reader() -> String { "\(base).r.\(UUID().uuidString)" }
  private let receivers = Locked<[String: @Sendable (RawMessage) -> Void]>([:])

  init(_ prefix: Subject) {
    base = "\(prefix).\(UUID().uuidString.lowercased().filter { $0 != "-" })"
  }

  /// Passes every message to `prefix.key` and below to `receive`, on libnats' thread.
  func open(_ key: String, _ receive: @escaping @Sendable (RawMessage) -> Void) {
    receivers.withLock { $0[key] = receive }
  }

  func close(_ key: String) {
    let receiver = receivers.withLock { $0.removeValue(forKey: key) }
    withExtendedLifetime(receiver) {}
  }

  func close() {
    let all = receivers.withLock { receivers in
      defer { receivers = [:] }
      return receivers
    }
    withExtendedLifetime(all) {}
  }

  func receive(_ message: RawMessage) {
    let rest = message.subject.utf8.dropFirst(base.utf8.count + 3)
    let key = String(Substring(rest.prefix { $0 != UInt8(ascii: ".") }))
    if let receiver = receivers.withLock({ $0[key] }) {
      receiver(message)
    } else {
      message.destroy()
    }
  }
}

/// A message of libnats, which the holder of this structure owns.
///
/// `@unchecked Sendable`: a message has one owner, and libnats does not touch a message that it has
/// handed over.
struct RawMessage: @unchecked Sendable {
  let pointer: OpaquePointer

  var subject: String { String(cString: natsMsg_GetSubject(pointer)) }

  /// The subject for an answer.
  ///
  /// For a message of a stream, it is what the server says about the message.
  var reply: String? { natsMsg_GetReply(pointer).map { String(cString: $0) } }

  /// The bytes, which are valid until the message is destroyed.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: natsMsg_GetData(pointer), count: Int(natsMsg_GetDataLength(pointer)))
  }

  /// The status of an answer without a body: 503 if nobody listens to the subject.
  var status: Int? {
    guard natsMsg_GetDataLength(pointer) == 0 else { return nil }
    return header("Status").flatMap { Int($0) }
  }

  func header(_ name: String) -> String? {
    var value: UnsafePointer<CChar>?
    guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK, let value else { return nil }
    return String(cString: value)
  }

  /// The headers as they have arrived, which are valid until the message is destroyed.
  ///
  /// libnats has no function for them. From 3.4.1 to 3.14, a message is one block of memory: the
  /// subject, the subject for the answer, the headers and the payload, each with a null character
  /// behind it, if it is there. With another layout, the distance would hardly be that of headers.
  /// Nothing is read here, so only a count could be wrong.
  var headerBytes: UnsafeRawBufferPointer {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    guard let last = natsMsg_GetReply(pointer) ?? natsMsg_GetSubject(pointer) else { return none }
    let begin = UnsafeRawPointer(last) + strlen(last) + 1
    let count = Int(bitPattern: natsMsg_GetData(pointer)) &- Int(bitPattern: begin) &- 1
    // No server takes larger headers than 64 MB.
    return (1...64 << 20).contains(count) ? .init(start: begin, count: count) : none
  }

  /// The number of bytes of the headers and of the payload.
  var contentSize: Int { headerBytes.count + Int(natsMsg_GetDataLength(pointer)) }

  /// The approximate size of the message in memory.
  var size: Int { Backlog.overhead + contentSize + strlen(natsMsg_GetSubject(pointer)) }

  func destroy() { natsMsg_Destroy(pointer) }
}

/// The receiver of a subscription, which is made again on each connection.
final class Inlet: Sendable {
  let subject: String
  /// The name of the receivers that share the messages; nil if this one gets all of them.
  let group: Name?
  /// Whether only messages arrive that the bus has asked for.
  let isAsked: Bool
  /// What has arrived and waits for slots; nil if the bus has asked for it.
  let pending: Pending?
  /// Takes a message.
  ///
  /// It runs on a thread of libnats, and must not wait.
  let receive: @Sendable (RawMessage) -> Void
  /// Called when the bus is closed, after the last message.
  let end: @Sendable () -> Void

  init(
    _ subject: String, sharedBy group: Name? = nil, isAsked: Bool, pending: Pending? = nil,
    receive: @escaping @Sendable (RawMessage) -> Void,
    end: @escaping @Sendable () -> Void = {}
  ) {
    self.subject = subject
    self.group = group
    self.isAsked = isAsked
    self.pending = pending
    self.receive = receive
    self.end = end
  }
}
