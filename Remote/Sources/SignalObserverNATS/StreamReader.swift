import CNats
import Foundation
import Synchronization

/// The messages of a stream in order, without a gap and without a double, from a sequence on.
///
/// A consumer on the server that needs no acknowledgements is made, and messages are pulled from it.
/// Whenever one is missing, the connection is lost, or the server is silent, another consumer is made
/// that begins behind the last message that came. What is to be known of a reader is one number.
struct StreamReader: Sendable {
  struct Item: Sendable {
    let message: RawMessage
    let sequence: UInt64
  }

  enum Start: Sendable {
    case sequence(UInt64)
    /// The newest message of the subject, then what follows.
    case newest
  }

  let link: Link
  let stream: String
  let filter: String?
  /// How many messages may be here and not yet taken.
  private static let batch = 500
  private static let batchBytes = 32 << 20
  private static let expiry = Duration.seconds(3)

  /// Gives every message to `take`, one after the other, until the task is cancelled, the bus is
  /// closed, or `take` says that it is enough.
  func run(from start: Start, _ take: (Item) async throws(BusError) -> Bool) async throws(BusError)
  {
    var start = start
    while !Task.isCancelled, !link.hasClosed {
      let mailbox = Mailbox()
      let inlet = Inlet(
        "\(link.inbox).c.\(UUID().uuidString)", receive: { mailbox.append($0) },
        end: { mailbox.end() })
      link.add(inlet)
      link.wire.async { link.onConnection(mailbox) { mailbox.end() } }
      defer {
        link.remove(inlet)
        link.removeOnConnection(ObjectIdentifier(mailbox))
        mailbox.end()
      }
      let consumer = try await makeConsumer(start)
      var expected: UInt64 = 1
      var missing = 0
      pulling: while !Task.isCancelled {
        if missing <= 0 {
          missing = Self.batch
          pull(consumer, inlet.subject, mailbox)
        }
        let messages = await withTaskCancellationHandler {
          await mailbox.next()
        } onCancel: {
          mailbox.end()
        }
        if messages.isEmpty { break }
        for (index, message) in messages.enumerated() {
          defer { message.destroy() }
          guard let position = message.streamPosition else {
            // A status: the request is over (404, 408, some 409), or the consumer is.
            if let status = message.status, status == 404 || status == 408 {
              missing = 0
              continue
            }
            if message.header("Description")?.contains("MaxBytes") == true {
              missing = 0
              continue
            }
            for rest in messages[(index + 1)...] { rest.destroy() }
            break pulling
          }
          guard position.consumer == expected else {
            for rest in messages[(index + 1)...] { rest.destroy() }
            break pulling
          }
          expected += 1
          missing -= 1
          let goesOn: Bool
          do throws(BusError) {
            goesOn = try await take(Item(message: message, sequence: position.stream))
          } catch {
            for rest in messages[(index + 1)...] { rest.destroy() }
            throw error
          }
          guard goesOn else {
            for rest in messages[(index + 1)...] { rest.destroy() }
            return
          }
          start = .sequence(position.stream + 1)
        }
      }
    }
  }

  private func makeConsumer(_ start: Start) async throws(BusError) -> String {
    var settings: [String: Any] = [
      "ack_policy": "none", "replay_policy": "instant", "mem_storage": true, "num_replicas": 1,
      "inactive_threshold": 30_000_000_000, "max_waiting": 8,
    ]
    if let filter { settings["filter_subject"] = filter }
    switch start {
    case .sequence(let sequence):
      settings["deliver_policy"] = "by_start_sequence"
      settings["opt_start_seq"] = max(1, sequence)
    case .newest: settings["deliver_policy"] = "last"
    }
    let bytes = try await link.ask(
      "CONSUMER.CREATE.\(stream)", ["stream_name": stream, "config": settings])
    struct Made: Decodable { let name: String }
    guard let made = try? JSONDecoder().decode(Made.self, from: Data(bytes)) else {
      throw .refused(subject: stream, code: 0, reason: String(decoding: bytes, as: UTF8.self))
    }
    return made.name
  }

  private func pull(_ consumer: String, _ reply: String, _ mailbox: Mailbox) {
    let body =
      "{\"batch\":\(Self.batch),\"max_bytes\":\(Self.batchBytes),\"expires\":\(Self.expiry.nanoseconds)}"
    let number = mailbox.beginPull()
    link.wire.async {
      let status = Array(body.utf8).withUnsafeBytes {
        link.send(
          $0, to: "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)", reply: reply)
      }
      if status == NATS_OK { link.flushSoon() } else { mailbox.end() }
    }
    // The server ends a request by a word of its own; without one it is not there any more.
    look(for: number, mailbox, after: Self.expiry + .seconds(1))
  }

  private func look(for number: Int, _ mailbox: Mailbox, after delay: Duration) {
    link.wire.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds))) {
      [weak mailbox] in
      guard let mailbox, mailbox.isBusy(orEndIn: number) else { return }
      look(for: number, mailbox, after: .seconds(1))
    }
  }
}

/// What has come for a reader and it has not taken: no more than it asked for.
private final class Mailbox: Sendable {
  private struct State {
    var messages: [RawMessage] = []
    var waiting: CheckedContinuation<[RawMessage], Never>?
    var isEnded = false
    var pull = 0
  }

  private let state = Mutex(State())

  deinit { for message in state.withLock({ $0.messages }) { message.destroy() } }

  /// On libnats' thread.
  func append(_ message: RawMessage) {
    let (waiting, isEnded) = state.withLock { state in
      if state.isEnded { return (CheckedContinuation<[RawMessage], Never>?.none, true) }
      if state.waiting == nil { state.messages.append(message) }
      return (state.waiting.take(), false)
    }
    if isEnded { message.destroy() }
    waiting?.resume(returning: [message])
  }

  /// Waits for messages; none when there will be no more.
  func next() async -> [RawMessage] {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> [RawMessage]? in
        if !state.messages.isEmpty {
          defer { state.messages = [] }
          return state.messages
        }
        if state.isEnded { return [] }
        state.waiting = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  func end() {
    let waiting = state.withLock { state in
      state.isEnded = true
      return state.waiting.take()
    }
    waiting?.resume(returning: [])
  }

  func beginPull() -> Int {
    state.withLock { state in
      state.pull += 1
      return state.pull
    }
  }

  /// Ends what still waits for the request `pull`, whose time is over.
  ///
  /// - Returns: Whether what has come must be looked at first.
  func isBusy(orEndIn pull: Int) -> Bool {
    let (isBusy, isSilent) = state.withLock { state in
      let isSame = state.pull == pull && !state.isEnded
      return (isSame && state.waiting == nil, isSame && state.waiting != nil)
    }
    if isSilent { end() }
    return isBusy
  }
}

extension RawMessage {
  /// Which message of its stream this is, and which of its consumer, as the server says in the
  /// subject for acknowledgements.
  var streamPosition: (stream: UInt64, consumer: UInt64)? {
    guard let reply, reply.hasPrefix("$JS.ACK.") else { return nil }
    let parts = reply.split(separator: ".")
    let offset = parts.count >= 11 ? 7 : 5
    guard parts.count > offset + 1, let stream = UInt64(parts[offset]),
      let consumer = UInt64(parts[offset + 1])
    else { return nil }
    return (stream, consumer)
  }
}
