import Foundation

/// A consumer of a stream: which messages it has delivered, and which of them are not acknowledged.
final class StreamConsumer {
  /// A client's request for messages.
  struct Pull {
    let reply: String
    var count: Int
    /// How many bytes it takes; nil for any number.
    var bytes: Int?
    let deadline: ContinuousClock.Instant
  }

  private struct Delivery {
    var count: UInt64
    /// The time at which the message is delivered again.
    var deadline: ContinuousClock.Instant
  }

  struct Position: Encodable {
    var consumer_seq: UInt64
    var stream_seq: UInt64
  }

  struct Info: Encodable {
    let stream_name: String
    let name: String
    let created: Timestamp
    let config: ConsumerSettings
    let delivered: Position
    let ack_floor: Position
    let num_ack_pending: Int
    let num_redelivered: Int
    let num_waiting: Int
    let num_pending: Int
  }

  let name: String
  private(set) var settings: ConsumerSettings
  private(set) var filter: Pattern?
  private unowned let stream: StoredStream
  private unowned let broker: Broker
  private let created = Timestamp.now
  /// The sequence of the last message that was delivered, or skipped at the beginning.
  private var position: UInt64
  /// The number of deliveries.
  private var deliveryCount: UInt64 = 0
  /// The number of messages behind `position`.
  private var pendingCount = 0
  private var pulls: [Pull] = []
  private var unacknowledged: [UInt64: Delivery] = [:]
  /// The sequences of messages that are to be delivered again, in order.
  private var due: [UInt64] = []
  private var lastUse = ContinuousClock.now

  private static let unacknowledgedLimit = 1000

  init(_ name: String, _ settings: ConsumerSettings, _ stream: StoredStream, _ broker: Broker) {
    self.name = name
    self.settings = settings
    self.stream = stream
    self.broker = broker
    filter = settings.filter_subject.map(Pattern.init)
    let last = stream.lastSequence
    position =
      switch settings.deliver_policy {
      case "new": last
      case "by_start_sequence":
        min(max(settings.opt_start_seq ?? 1, stream.firstSequence), last + 1) - 1
      case "by_start_time":
        settings.opt_start_time.flatMap { Timestamp($0) }
          .flatMap { stream.first(since: $0) }.map { $0.sequence - 1 } ?? last
      default: stream.firstSequence - 1
      }
    pendingCount = stream.count(from: position + 1, on: filter)
  }

  private var acknowledges: Bool { settings.ack_policy == "explicit" }
  private var wait: Duration { .nanoseconds(settings.ack_wait ?? 30_000_000_000) }

  var info: Info {
    let floor = unacknowledged.keys.min().map { $0 - 1 } ?? position
    return Info(
      stream_name: stream.settings.name, name: name, created: created, config: settings,
      delivered: Position(consumer_seq: deliveryCount, stream_seq: position),
      ack_floor: Position(consumer_seq: 0, stream_seq: acknowledges ? floor : 0),
      num_ack_pending: unacknowledged.count,
      num_redelivered: unacknowledged.values.filter { $0.count > 1 }.count,
      num_waiting: pulls.count, num_pending: pendingCount)
  }

  /// Changes the settings that may change.
  func update(_ new: ConsumerSettings) throws(Refusal) {
    if settings.deliver_policy != new.deliver_policy { throw .differs("deliver policy") }
    if settings.opt_start_seq != new.opt_start_seq { throw .differs("start sequence") }
    if settings.opt_start_time != new.opt_start_time { throw .differs("start time") }
    if settings.ack_policy != new.ack_policy { throw .differs("ack policy") }
    if settings.filter_subject != new.filter_subject {
      filter = new.filter_subject.map(Pattern.init)
      pendingCount = stream.count(from: position + 1, on: filter)
    }
    settings = new
    deliver()
  }

  /// Whether nobody has used it for so long that the server forgets it.
  func isForgotten(_ now: ContinuousClock.Instant) -> Bool {
    guard settings.durable_name == nil else { return false }
    if !pulls.isEmpty { lastUse = now }
    return lastUse + .nanoseconds(settings.inactive_threshold ?? 5_000_000_000) < now
  }

  // MARK: - Changes of the stream

  func add(_ message: StoredMessage) {
    if filter?.matches(message.subject) ?? true { pendingCount += 1 }
  }

  func remove(_ message: StoredMessage) {
    if message.sequence > position, filter?.matches(message.subject) ?? true { pendingCount -= 1 }
    unacknowledged[message.sequence] = nil
    due.removeAll { $0 == message.sequence }
  }

  // MARK: - Requests

  func pull(_ pull: Pull) {
    lastUse = .now
    pulls.removeAll { !broker.isHeard($0.reply) }
    if pulls.count >= settings.max_waiting ?? 512 {
      broker.send(Content(status: "409 Exceeded MaxWaiting"), to: pull.reply)
      return
    }
    pulls.append(pull)
    deliver()
  }

  /// Ends the requests, because the consumer is deleted.
  func end() {
    for pull in pulls { broker.send(Content(status: "409 Consumer Deleted"), to: pull.reply) }
    pulls = []
  }

  /// Answers requests, as long as there are both requests and messages.
  func deliver() {
    while !pulls.isEmpty {
      guard broker.isHeard(pulls[0].reply) else {
        pulls.removeFirst()
        continue
      }
      guard let message = nextMessage else { return }
      if let bytes = pulls[0].bytes, message.size > bytes {
        finish(pulls.removeFirst(), "409 Message Size Exceeds MaxBytes")
        continue
      }
      send(message)
    }
  }

  private var nextMessage: StoredMessage? {
    if let sequence = due.first { return stream.message(sequence) }
    if acknowledges, unacknowledged.count >= Self.unacknowledgedLimit { return nil }
    return pendingCount == 0 ? nil : stream.next(from: position + 1, on: filter)
  }

  private func send(_ message: StoredMessage) {
    if due.first == message.sequence {
      due.removeFirst()
    } else {
      position = message.sequence
      pendingCount -= 1
    }
    deliveryCount += 1
    var count: UInt64 = 1
    if acknowledges {
      count += unacknowledged[message.sequence]?.count ?? 0
      unacknowledged[message.sequence] = Delivery(count: count, deadline: .now + wait)
    }
    let acknowledgement =
      "$JS.ACK.\(stream.settings.name).\(name).\(count).\(message.sequence).\(deliveryCount)"
      + ".\(message.time.nanoseconds).\(pendingCount)"
    broker.send(
      message.content, to: pulls[0].reply, as: message.subject, reply: acknowledgement)
    pulls[0].count -= 1
    pulls[0].bytes = pulls[0].bytes.map { $0 - message.size }
    if pulls[0].count == 0 { pulls.removeFirst() }
  }

  private func finish(_ pull: Pull, _ status: String) {
    broker.send(
      Content(
        status: status,
        headers: [("Nats-Pending-Messages", pull.count), ("Nats-Pending-Bytes", pull.bytes ?? 0)]),
      to: pull.reply)
  }

  // MARK: - Acknowledgements

  /// Does what a client says about a message.
  func answer(_ text: String, to sequence: UInt64) {
    guard unacknowledged[sequence] != nil else { return }
    lastUse = .now
    if text.hasPrefix("-NAK") {
      struct Wishes: Decodable { let delay: Int64? }
      let wishes = try? JSONDecoder().decode(Wishes.self, from: Data(text.dropFirst(4).utf8))
      unacknowledged[sequence]?.deadline = .now + .nanoseconds(wishes?.delay ?? 0)
    } else if text == "+WPI" {
      unacknowledged[sequence]?.deadline = .now + wait
    } else {
      unacknowledged[sequence] = nil
      due.removeAll { $0 == sequence }
      if stream.isWorkQueue { stream.remove(sequence) }
    }
    look(.now)
  }

  /// Ends late requests, and delivers messages again that were not acknowledged in time.
  func look(_ now: ContinuousClock.Instant) {
    for pull in pulls where pull.deadline < now { finish(pull, "408 Request Timeout") }
    pulls.removeAll { $0.deadline < now }
    if !unacknowledged.isEmpty {
      let late = unacknowledged.filter { $0.value.deadline <= now && !due.contains($0.key) }
      due = (due + late.keys).sorted()
    }
    deliver()
  }
}
