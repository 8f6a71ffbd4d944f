import CNats
import Foundation

/// Reads the messages of a stream from a sequence on, in order, without missing or repeating one.
///
/// The reader makes a consumer on the server that needs no acknowledgements, and pulls messages
/// from it. Whenever a message is missing, the connection is lost or the server is silent, the
/// reader makes another consumer, which begins behind the last message that was received. The state
/// of a reader is therefore one number.
///
/// A reader of a durable consumer shares the messages with other readers. It asks for one message,
/// and for the next one when that is handled. The server knows who has which message.
struct StreamReader: Sendable {
  struct Item: Sendable {
    let message: RawMessage
    let sequence: UInt64
    /// How often the server has delivered the message.
    let deliveryCount: UInt64
    /// Whether the servers may have forgotten what they have delivered before: this is the first
    /// message of a connection.
    let isFirst: Bool
  }

  let link: Link
  let stream: String
  let filter: String?
  /// The time at which the stream was made.
  ///
  /// A stream with another time is another stream.
  let created: String
  /// The consumer that readers share, and where it begins once it must be made; nil if this reader
  /// reads all messages itself.
  ///
  /// It begins at the beginning if somebody deletes it after a reader has made it: what it has not
  /// delivered is not skipped.
  var durable: (name: Name, start: StreamStart)?
  /// The number of messages that should at least be on their way.
  var ahead = 0
  /// The number of messages that one request asks for.
  private var batch: Int { durable == nil ? min(max(500, ahead), 10_000) : 1 }
  private static let batchBytes = 32 << 20
  private static let expiry = Duration.seconds(3)

  /// Passes every message to `take`, one after the other, until the task is cancelled, the bus is
  /// closed, or a closure returns false.
  ///
  /// It calls `rest` when no message waits, neither here nor on the servers.
  ///
  /// - Throws: ``BusError/storeLost(name:)`` if the stream is no longer the same.
  mutating func run(
    from first: UInt64, _ take: (Item) async throws(BusError) -> Bool,
    rest atRest: () async throws(BusError) -> Bool = { () throws(BusError) in true }
  ) async throws(BusError) {
    var start = first
    while !Task.isCancelled, !link.hasClosed {
      let mailbox = Mailbox()
      let inlet = Inlet(
        link.inbox.reader(), isAsked: true, receive: { mailbox.append($0) }, end: { mailbox.end() })
      link.add(inlet)
      link.wire.async { [link] in
        link.onConnection(mailbox) { mailbox.end() }
        link.onLook(mailbox) { mailbox.look($0) }
      }
      defer {
        link.remove(inlet)
        link.remove(ObjectIdentifier(mailbox))
        mailbox.end()
      }
      let consumer: String
      do throws(BusError) {
        // This reads the state of the stream after the consumer is made. A consumer cannot move to
        // another stream.
        consumer = try await makeConsumer(start)
        durable?.start = .beginning
        if try await !link.info(of: stream).wasMade(at: created) {
          throw .storeLost(name: stream)
        }
      } catch .refused(_, APIError.streamNotFound, _) {
        throw .storeLost(name: stream)
      }
      var expected: UInt64 = 1
      var missing = 0
      var isFirst = true
      /// Whether the servers have more messages, as far as is known.
      var isBehind = false
      /// Has the next messages on their way before the last ones are taken.
      func pullAhead() {
        guard missing <= batch / 2 else { return }
        missing += batch
        pull(consumer, inlet.subject, mailbox)
      }
      pulling: while !Task.isCancelled {
        pullAhead()
        var messages = mailbox.takeAll()
        // In a flood the next ones are there in a moment, and waking the task for each would cost
        // more than handling it.
        for _ in 0..<2 where messages.isEmpty {
          sched_yield()
          messages = mailbox.takeAll()
        }
        if messages.isEmpty {
          if !isBehind, try await !atRest() { return }
          messages = await withTaskCancellationHandler {
            await mailbox.next()
          } onCancel: {
            mailbox.end()
          }
        }
        if messages.isEmpty { break }
        var rest = messages[...]
        defer { for message in rest { message.destroy() } }
        while let message = rest.popFirst() {
          defer { message.destroy() }
          guard let position = message.streamPosition else {
            // A status says that the request is over (404, 408, some 409), or that the consumer is.
            let description = message.header("Description") ?? ""
            // The servers keep as many requests of others as they may.
            let isFull = description.contains("MaxWaiting")
            if isFull { try? await Task.sleep(for: .seconds(1)) }
            if message.status == 404 || message.status == 408 || isFull
              || description.contains("MaxBytes")
            {
              // The server says how many messages the request has not received.
              let left = message.header("Nats-Pending-Messages").flatMap { Int($0) }
              missing = left.map { max(0, missing - max(0, $0)) } ?? 0
              isBehind = false
              continue
            }
            break pulling
          }
          guard durable != nil || position.consumer == expected else { break pulling }
          // The numbers of a shared consumer grow, unless a new leader knows less than the old one.
          if position.consumer < expected { isFirst = true }
          expected = position.consumer + 1
          missing -= 1
          isBehind = position.pending > 0
          if durable == nil { pullAhead() }
          if link.hasClosed { return }
          let goesOn = try await take(
            Item(
              message: message, sequence: position.stream, deliveryCount: position.deliveries,
              isFirst: isFirst))
          isFirst = false
          guard goesOn else { return }
          start = position.stream + 1
          if Task.isCancelled { return }
        }
      }
    }
  }

  private func makeConsumer(_ start: UInt64) async throws(BusError) -> String {
    var settings: [String: Any] = ["replay_policy": "instant"]
    if let filter { settings["filter_subject"] = filter }
    var api = "CONSUMER.CREATE.\(stream)"
    if let durable {
      api = "CONSUMER.DURABLE.CREATE.\(stream).\(durable.name)"
      settings.merge([
        "durable_name": durable.name.text, "ack_policy": "explicit",
        "ack_wait": link.options.takeover.nanoseconds, "max_deliver": -1,
      ]) { $1 }
      settings.merge(durable.start.settings) { $1 }
    } else {
      settings.merge(StreamStart.sequence(start).settings(keptFor: .seconds(30))) { $1 }
      settings["max_waiting"] = 8
    }
    let bytes: [UInt8]
    do throws(BusError) {
      bytes = try await link.ask(api, ["stream_name": stream, "config": settings])
    } catch .refused(_, APIError.consumerDiffers, let reason)
      where reason.contains("deliver policy") || reason.contains("start ")
    {
      // The consumer exists, and has begun somewhere else.
      if let durable { return durable.name.text }
      throw .refused(subject: stream, code: APIError.consumerDiffers, reason: reason)
    }
    struct Made: Decodable { let name: String }
    guard let made = try? JSONDecoder().decode(Made.self, from: Data(bytes)) else {
      throw .refused(subject: stream, code: 0, reason: String(decoding: bytes, as: UTF8.self))
    }
    return made.name
  }

  private func pull(_ consumer: String, _ reply: String, _ mailbox: Mailbox) {
    let body =
      "{\"batch\":\(batch),\"max_bytes\":\(Self.batchBytes),\"expires\":\(Self.expiry.nanoseconds)}"
    // The server ends each request with a status. If no status arrives, the server has failed.
    mailbox.beginPull(until: .now + Self.expiry + .seconds(1))
    link.wire.async {
      let status = Array(body.utf8).withUnsafeBytes {
        link.send(
          $0, to: link.api("CONSUMER.MSG.NEXT.\(stream).\(consumer)"), reply: reply)
      }
      if status == NATS_OK { link.flushSoon() } else { mailbox.end() }
    }
  }
}

/// The messages that were received for a reader, and that it has not taken.
///
/// There are never more than it has asked for.
private final class Mailbox: Sendable {
  private struct State {
    var messages: [RawMessage] = []
    var waiting: CheckedContinuation<[RawMessage], Never>?
    var isEnded = false
    /// The time at which the request is over, whatever the server says.
    var deadline: ContinuousClock.Instant?
  }

  private let state = Locked(State())

  deinit { for message in state.withLock({ $0.messages }) { message.destroy() } }

  /// Adds a message, on libnats' thread.
  func append(_ message: RawMessage) {
    let (waiting, isEnded) = state.withLock { state in
      if state.isEnded { return (CheckedContinuation<[RawMessage], Never>?.none, true) }
      if state.waiting == nil { state.messages.append(message) }
      return (state.waiting.take(), false)
    }
    if isEnded { message.destroy() }
    waiting?.resume(returning: [message])
  }

  func takeAll() -> [RawMessage] {
    state.withLock { state in
      defer { state.messages = [] }
      return state.messages
    }
  }

  /// Waits for messages, and returns none if there will be no more.
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

  func beginPull(until deadline: ContinuousClock.Instant) {
    state.withLock { $0.deadline = deadline }
  }

  /// Ends the wait for a request whose time is over.
  func look(_ now: ContinuousClock.Instant) {
    // Messages that were received must be taken first.
    let isLate = state.withLock { state in
      state.waiting != nil && state.deadline.map { $0 < now } ?? false
    }
    if isLate { end() }
  }
}

extension RawMessage {
  /// The number of the message in its stream and in its consumer, how often it was delivered, and
  /// how many messages are behind it.
  ///
  /// The server writes both into the subject for acknowledgements.
  var streamPosition: (stream: UInt64, consumer: UInt64, deliveries: UInt64, pending: UInt64)? {
    guard let reply = natsMsg_GetReply(pointer), strncmp(reply, "$JS.ACK.", 8) == 0 else {
      return nil
    }
    let dot = CChar(UInt8(ascii: "."))
    var dots = 0
    for character in UnsafeBufferPointer(start: reply, count: strlen(reply)) where character == dot
    {
      dots += 1
    }
    // With a domain and an account, two more parts are in front.
    let skipped = dots >= 10 ? 6 : 4
    guard dots >= skipped + 4 else { return nil }
    var position = reply
    for _ in 0..<skipped {
      if let found = strchr(position, Int32(dot)) { position = UnsafePointer(found) + 1 }
    }
    func number() -> UInt64? {
      var end: UnsafeMutablePointer<CChar>?
      let number = strtoull(position, &end, 10)
      // No server counts as far as that.
      guard let end, end != position, number < Int64.max else { return nil }
      // Behind the last one is the end of the text, which is not read.
      position = UnsafePointer(end) + 1
      return number
    }
    guard let deliveries = number(), let stream = number(), let consumer = number(),
      number() != nil, let pending = number()
    else { return nil }
    return (stream, consumer, deliveries, pending)
  }
}
