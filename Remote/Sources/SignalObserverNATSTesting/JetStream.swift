import Foundation

/// The streams of a server, and the part of JetStream's interface that a bus uses.
final class JetStream {
  private unowned let broker: Broker
  private var streams: [String: StoredStream] = [:]
  private var nameCount = 0

  init(_ broker: Broker) {
    self.broker = broker
  }

  /// Does what time brings.
  func look() {
    let now = ContinuousClock.now
    for stream in streams.values {
      stream.makeRoom()
      stream.forgetIDs()
      for consumer in stream.consumers.values {
        consumer.look(now)
        if consumer.isForgotten(now) { stream.consumers[consumer.name] = nil }
      }
    }
  }

  /// Loses what a server loses when it ends.
  func end() {
    streams = streams.filter { $0.value.settings.storage != "memory" }
    for stream in streams.values {
      stream.consumers = stream.consumers.filter { $0.value.settings.durable_name != nil }
    }
  }

  /// Takes a message that is a request, or that a stream keeps.
  ///
  /// - Returns: Whether it is one of these.
  func take(_ content: Content, to subject: String, reply: String?) -> Bool {
    if subject.hasPrefix("$JS.") {
      let parts = subject.split(separator: ".").map(String.init)
      return parts.count > 1 && parts[1] == "ACK"
        ? acknowledge(parts, content, reply) : answer(Array(parts.dropFirst(2)), content, reply)
    }
    let keeping = streams.values.filter { $0.keeps(subject) }
    for stream in keeping { store(content, subject, in: stream, reply) }
    return !keeping.isEmpty
  }

  private func store(
    _ content: Content, _ subject: String, in stream: StoredStream, _ reply: String?
  ) {
    let answer: String
    do throws(Refusal) {
      let (sequence, isDuplicate) = try stream.store(content, on: subject)
      let more = isDuplicate ? ",\"duplicate\":true" : ""
      answer = "{\"stream\":\"\(stream.settings.name)\",\"seq\":\(sequence)\(more)}"
    } catch {
      answer = String(decoding: json(Failed(error: error)), as: UTF8.self)
    }
    if let reply { broker.send(Content(answer), to: reply) }
    for consumer in stream.consumers.values { consumer.deliver() }
  }

  private func acknowledge(_ parts: [String], _ content: Content, _ reply: String?) -> Bool {
    guard parts.count == 9, let consumer = streams[parts[2]]?.consumers[parts[3]],
      let sequence = UInt64(parts[5])
    else { return false }
    consumer.answer(content.text, to: sequence)
    if let reply { broker.send(Content(""), to: reply) }
    return true
  }

  // MARK: - The interface

  private struct Failed: Encodable { let error: Refusal }

  private struct StreamAnswer: Encodable {
    let config: StreamSettings
    let created: Timestamp
    let state: StoredStream.State
  }

  private struct MessageAnswer: Encodable {
    struct Body: Encodable {
      let subject: String
      let seq: UInt64
      let time: Timestamp
      let hdrs: Data?
      let data: Data
    }
    let message: Body
  }

  private struct Success: Encodable { let success = true }

  private func answer(_ parts: [String], _ content: Content, _ reply: String?) -> Bool {
    if parts.count == 5, parts[..<3] == ["CONSUMER", "MSG", "NEXT"] {
      guard let consumer = streams[parts[3]]?.consumers[parts[4]], let reply else { return false }
      pull(from: consumer, content, reply)
      return true
    }
    let answer: (any Encodable)?
    do throws(Refusal) {
      answer = try self.answer(parts, content)
    } catch {
      answer = Failed(error: error)
    }
    guard let answer else { return false }
    if let reply { broker.send(Content(json(answer)), to: reply) }
    return true
  }

  /// Returns the answer to a request; nil if there is no such request.
  private func answer(
    _ parts: [String], _ content: Content
  ) throws(Refusal) -> (any Encodable)? {
    let name = parts.last ?? ""
    switch (parts.first, parts.dropFirst().first, parts.count) {
    case ("STREAM", "CREATE", 3): return try create(name, content)
    case ("STREAM", "UPDATE", 3):
      let stream = try stream(name)
      stream.update(try checkedSettings(content))
      return info(stream)
    case ("STREAM", "INFO", 3):
      struct Wishes: Decodable {
        let subjects_filter: String?
        let offset: Int?
      }
      let wishes = try? decode(Wishes.self, content)
      return info(
        try stream(name), on: wishes?.subjects_filter.map(Pattern.init),
        without: wishes?.offset ?? 0)
    case ("STREAM", "DELETE", 3):
      for consumer in try stream(name).consumers.values { consumer.end() }
      streams[name] = nil
      return Success()
    case ("STREAM", "MSG", 4) where parts[2] == "GET":
      return try message(of: try stream(name), content)
    case ("CONSUMER", "CREATE", 3): return try createConsumer(nil, of: try stream(name), content)
    case ("CONSUMER", "DURABLE", 5) where parts[2] == "CREATE":
      return try createConsumer(name, of: try stream(parts[3]), content)
    case ("CONSUMER", "INFO", 4): return try consumer(name, of: try stream(parts[2])).info
    case ("CONSUMER", "DELETE", 4):
      let stream = try stream(parts[2])
      try consumer(name, of: stream).end()
      stream.consumers[name] = nil
      return Success()
    default: return nil
    }
  }

  private func stream(_ name: String) throws(Refusal) -> StoredStream {
    guard let stream = streams[name] else { throw .noStream }
    return stream
  }

  private func consumer(_ name: String, of stream: StoredStream) throws(Refusal) -> StreamConsumer {
    guard let consumer = stream.consumers[name] else { throw .noConsumer }
    return consumer
  }

  private func info(
    _ stream: StoredStream, on filter: Pattern? = nil, without skipped: Int = 0
  ) -> StreamAnswer {
    StreamAnswer(
      config: stream.settings, created: stream.created,
      state: stream.state(on: filter, without: skipped))
  }

  private func create(_ name: String, _ content: Content) throws(Refusal) -> StreamAnswer {
    let settings = try checkedSettings(content)
    if let known = streams[name] {
      if known.settings != settings { throw .nameInUse }
      return info(known)
    }
    if settings.name != name { throw .badRequest }
    if settings.num_replicas > 1 { throw .manyReplicas }
    if streams.values.contains(where: { $0.overlaps(settings.subjects) }) { throw .overlap }
    let stream = StoredStream(settings)
    streams[name] = stream
    return info(stream)
  }

  private func checkedSettings(_ content: Content) throws(Refusal) -> StreamSettings {
    let settings = try decode(StreamSettings.self, content)
    if settings.num_replicas < 0 { throw .negativeReplicas }
    if settings.num_replicas > 5 { throw .invalid("maximum replicas is 5") }
    for subject in settings.subjects {
      if !Pattern(subject).isValid { throw .invalid("invalid subject") }
      if subject.hasPrefix("$JS.API.") { throw .invalid("subjects overlap with jetstream api") }
    }
    if Set(settings.subjects).count < settings.subjects.count {
      throw .invalid("duplicate subjects detected")
    }
    for (index, subject) in settings.subjects.enumerated() {
      let others = settings.subjects.dropFirst(index + 1)
      if let other = others.first(where: { Pattern($0).overlaps(Pattern(subject)) }) {
        throw .invalid("subject \"\(subject)\" overlaps with \"\(other)\"")
      }
    }
    if (1..<100_000_000).contains(settings.max_age) {
      throw .invalid("max age needs to be >= 100ms")
    }
    return settings
  }

  private func message(
    of stream: StoredStream, _ content: Content
  ) throws(Refusal) -> MessageAnswer {
    struct Wishes: Decodable {
      let seq: UInt64?
      let last_by_subj: String?
      let next_by_subj: String?
    }
    let wishes = try decode(Wishes.self, content)
    let found =
      if let subject = wishes.last_by_subj {
        stream.last(on: subject)
      } else if let subject = wishes.next_by_subj {
        stream.next(from: wishes.seq ?? 1, on: Pattern(subject))
      } else {
        stream.message(wishes.seq ?? 0)
      }
    guard let found else { throw .noMessage }
    let headers = found.content.headers
    return MessageAnswer(
      message: .init(
        subject: found.subject, seq: found.sequence, time: found.time,
        hdrs: headers.isEmpty ? nil : Data(headers), data: Data(found.content.body)))
  }

  private func createConsumer(
    _ name: String?, of stream: StoredStream, _ content: Content
  ) throws(Refusal) -> StreamConsumer.Info {
    struct Wishes: Decodable { let config: ConsumerSettings }
    let settings = try decode(Wishes.self, content).config
    if let filter = settings.filter_subject, !stream.takes(filter) { throw .foreignFilter }
    if let known = name.flatMap({ stream.consumers[$0] }) {
      try known.update(settings)
      return known.info
    }
    if stream.isWorkQueue {
      if settings.ack_policy != "explicit" { throw .noAcknowledgements }
      if ![nil, "all"].contains(settings.deliver_policy) { throw .notFromBeginning }
      for other in stream.consumers.values {
        guard let filter = settings.filter_subject, let theirs = other.filter else {
          throw .twoWithoutFilter
        }
        if theirs.overlaps(Pattern(filter)) { throw .sameFilter }
      }
    }
    nameCount += 1
    let made = StreamConsumer(name ?? "e\(nameCount)", settings, stream, broker)
    stream.consumers[made.name] = made
    return made.info
  }

  private func pull(from consumer: StreamConsumer, _ content: Content, _ reply: String) {
    struct Wishes: Decodable {
      let batch: Int?
      let max_bytes: Int?
      let expires: Int64?
    }
    let wishes = try? decode(Wishes.self, content)
    consumer.pull(
      .init(
        reply: reply, count: max(1, wishes?.batch ?? 1), bytes: wishes?.max_bytes,
        deadline: .now + .nanoseconds(wishes?.expires ?? 86_400_000_000_000)))
  }

  private func decode<Wishes: Decodable>(
    _ type: Wishes.Type, _ content: Content
  ) throws(Refusal) -> Wishes {
    do { return try JSONDecoder().decode(type, from: Data(content.body)) } catch {
      throw .badRequest
    }
  }

  private func json(_ value: any Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // What is encoded are numbers and texts.
    return [UInt8]((try? encoder.encode(value)) ?? Data())
  }
}

/// What a stream keeps, as JetStream names it.
struct StreamSettings: Codable, Equatable {
  var name: String
  var subjects: [String]
  var retention: String
  var storage: String
  var discard: String
  var max_msgs: Int
  var max_bytes: Int
  var max_age: Int64
  var max_msgs_per_subject: Int
  var max_msg_size: Int
  var duplicate_window: Int64
  var num_replicas: Int
  var allow_direct: Bool
  var allow_rollup_hdrs: Bool
  var deny_delete: Bool

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func value<Value: Decodable>(_ key: CodingKeys, _ missing: Value) throws -> Value {
      try values.decodeIfPresent(Value.self, forKey: key) ?? missing
    }
    name = try value(.name, "")
    subjects = try value(.subjects, [name])
    retention = try value(.retention, "limits")
    storage = try value(.storage, "file")
    discard = try value(.discard, "old")
    max_msgs = try value(.max_msgs, -1)
    max_bytes = try value(.max_bytes, -1)
    max_age = try value(.max_age, 0)
    max_msgs_per_subject = try value(.max_msgs_per_subject, -1)
    max_msg_size = try value(.max_msg_size, -1)
    duplicate_window = try value(.duplicate_window, 120_000_000_000)
    num_replicas = try value(.num_replicas, 1)
    allow_direct = try value(.allow_direct, false)
    allow_rollup_hdrs = try value(.allow_rollup_hdrs, false)
    deny_delete = try value(.deny_delete, false)
  }
}

/// What a consumer delivers, as JetStream names it.
struct ConsumerSettings: Codable, Equatable {
  var durable_name: String?
  var deliver_policy: String?
  var opt_start_seq: UInt64?
  var opt_start_time: String?
  var ack_policy: String?
  var ack_wait: Int64?
  var filter_subject: String?
  var max_waiting: Int?
  var inactive_threshold: Int64?
}

/// An error of JetStream, with its numbers.
struct Refusal: Error, Encodable {
  let code: Int
  let err_code: Int
  let description: String

  init(_ code: Int, _ number: Int, _ description: String) {
    self.code = code
    err_code = number
    self.description = description
  }

  static let badRequest = Refusal(400, 10003, "bad request")
  static let noConsumer = Refusal(404, 10014, "consumer not found")
  static let noMessage = Refusal(404, 10037, "no message found")
  static let negativeReplicas = Refusal(400, 10133, "replicas count cannot be negative")
  static let manyReplicas = Refusal(
    500, 10074, "replicas > 1 not supported in non-clustered mode")
  static let nameInUse = Refusal(400, 10058, "stream name already in use")
  static let noStream = Refusal(404, 10059, "stream not found")
  static let overlap = Refusal(400, 10065, "subjects overlap with an existing stream")
  static let tooLarge = Refusal(400, 10054, "message size exceeds maximum allowed")
  static let foreignFilter = Refusal(
    400, 10093, "consumer filter subject is not a valid subset of the interest subjects")
  static let noAcknowledgements = Refusal(400, 10098, "workqueue stream requires explicit ack")
  static let twoWithoutFilter = Refusal(
    400, 10099, "multiple non-filtered consumers not allowed on workqueue stream")
  static let sameFilter = Refusal(
    400, 10100, "filtered consumer not unique on workqueue stream")
  static let notFromBeginning = Refusal(
    400, 10101, "consumer must be deliver all on workqueue stream")

  static func full(_ what: String) -> Refusal {
    Refusal(503, 10077, "maximum \(what) exceeded")
  }

  static func invalid(_ reason: String) -> Refusal { Refusal(500, 10052, reason) }

  static func wrongLast(_ sequence: UInt64) -> Refusal {
    Refusal(400, 10071, "wrong last sequence: \(sequence)")
  }

  static func differs(_ what: String) -> Refusal {
    Refusal(500, 10012, "\(what) can not be updated")
  }
}

/// A time in nanoseconds since 1970.
struct Timestamp: Encodable, Comparable {
  let nanoseconds: Int64

  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Reads a time with or without a fraction of a second.
  init?(_ text: String) {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
    guard let date = try? Date(text, strategy: style) else { return nil }
    // Some 292 years before and after 1970 fit.
    let limit = Double(Int64.max / 2_000_000)
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    nanoseconds = Int64(min(max(milliseconds, -limit), limit)) * 1_000_000
  }

  static func < (one: Timestamp, other: Timestamp) -> Bool { one.nanoseconds < other.nanoseconds }

  var text: String {
    let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let date = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    let digits = String(fraction + 1_000_000_000).dropFirst()
    return "\(date.dropLast()).\(digits)Z"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
