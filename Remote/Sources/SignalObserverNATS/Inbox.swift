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
    let rest = message.subject.dropFirst(base.utf8.count + 3)
    let key = String(rest.prefix { $0 != "." })
    if let receiver = receivers.withLock({ $0[key] }) {
      receiver(message)
    } else {
      message.destroy()
    }
  }
}
