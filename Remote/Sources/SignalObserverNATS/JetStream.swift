import Foundation

// The requests that streams and values send to JetStream, as its own JSON. Each of them ends with
// an answer, or with an error after `BusOptions.patience`.

/// JetStream's answer to a message: where the message is stored, or why it is not.
struct Stored: Decodable {
  let seq: UInt64?
  let error: APIError?
}

struct APIError: Decodable {
  let code: Int
  let err_code: Int?
  let description: String?

  /// Another message was stored on the subject meanwhile.
  static let wrongLastSequence = 10071
  static let consumerDiffers = 10012
  static let messageNotFound = 10037
  static let messageTooLarge = 10054
  static let streamNameInUse = 10058
  static let streamNotFound = 10059
  static let subjectsOverlap = 10065
  static let storeFailed = 10077

  /// Whether the same request may succeed soon: the cluster has no leader at the moment.
  var isTransient: Bool { [10008, 10009, 10005].contains(err_code) }

  func refusal(of subject: String) -> BusError {
    .refused(subject: subject, code: err_code ?? code, reason: description ?? "")
  }
}

private struct Failed: Decodable { let error: APIError? }

/// A message of a stream, as JetStream returns it on request.
struct StoredMessage: Decodable {
  struct Body: Decodable {
    let subject: String
    let seq: UInt64
    let data: String?
    let hdrs: String?
    let time: String?
    var bytes: [UInt8] { data.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } ?? [] }

    var headers: String {
      hdrs.flatMap { Data(base64Encoded: $0) }.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Whether the message says that its key was deleted.
    var isDeletion: Bool { headers.contains("KV-Operation: ") }
  }
  let message: Body?
}

/// What the bus needs to know about a stream.
struct StreamInfo: Decodable {
  struct Settings: Decodable {
    let num_replicas: Int
    let max_msgs_per_subject: Int?
    /// The subjects that the stream keeps; nil for none.
    let subjects: [String]?
  }
  struct State: Decodable {
    let messages: UInt64
    let first_seq: UInt64
    let last_seq: UInt64
    let subjects: [String: UInt64]?
  }
  /// The time at which the stream was made.
  ///
  /// It tells the stream from a later one of the same name.
  let created: String
  let config: Settings
  let state: State

  /// Whether the stream is the one that was made at a time.
  ///
  /// If two processes make a stream at once, the servers of a cluster may say another time after a
  /// restart. A stream that was made again within seconds of the first one counts as the same.
  func wasMade(at time: String) -> Bool {
    if created == time { return true }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard config.num_replicas > 1, let one = try? Date(created, strategy: style),
      let other = try? Date(time, strategy: style)
    else { return false }
    return abs(one.timeIntervalSince(other)) < 10
  }
}

extension Link {
  /// Returns the subject of a request to JetStream's interface.
  func api(_ request: String) -> String { "\(options.jetStreamPrefix).\(request)" }

  /// Returns the subject to which a message is sent that a stream keeps on `subject`.
  ///
  /// Only the prefix says to which domain a bucket belongs. The servers take it away.
  private func destination(_ subject: String) -> String {
    let isElsewhere = subject.hasPrefix("$KV.") && options.jetStreamPrefix != "$JS.API"
    return isElsewhere ? api(subject) : subject
  }

  /// Sends a request to JetStream's interface, and repeats it while there is no connection or no
  /// leader.
  func ask(_ api: String, _ body: [String: Any]) async throws(BusError) -> [UInt8] {
    guard let json = (try? JSONSerialization.data(withJSONObject: body)).map({ [UInt8]($0) }) else {
      throw .refused(subject: api, code: 0, reason: "not expressible in JSON")
    }
    let subject = self.api(api)
    let deadline = ContinuousClock.now + options.patience
    var silence: ContinuousClock.Instant?
    while true {
      if Task.isCancelled { throw .closed }
      var failure = BusError.timeout(subject: subject)
      do throws(BusError) {
        let answer = try await requestWhenConnected(subject, json, deadline)
        let failed = try? JSONDecoder().decode(Failed.self, from: Data(answer.bytes))
        if answer.status != nil {
          failure = .unavailable(subject: subject, reason: "nobody answers; is JetStream enabled?")
          // A server with JetStream answers as soon as it runs, with or without a leader.
          silence = silence ?? .now
          if let silence, silence + options.timeout * 2 < .now { throw failure }
        } else if let error = failed?.error {
          failure = error.refusal(of: api)
          if !error.isTransient { throw failure }
        } else {
          return answer.bytes
        }
      } catch .timeout {
        // The request is sent again below.
      }
      if deadline < .now { throw failure }
      await pause()
    }
  }

  /// Stores a message once, and returns its sequence.
  ///
  /// Cancelling the task does not end this. The message may be sent several times: the servers know
  /// it by its `id`, if it has one, and store it once. It is not sent again after the time for which
  /// they remember ids. `expected` is the sequence that the newest message of the subject must have; 0 for none.
  ///
  /// - Throws: ``BusError/unknownOutcome(subject:)`` if it is unknown whether the message is
  ///   stored; ``BusError/storeLost(name:)`` if `stream` is given, and is no longer there.
  func store(
    _ bytes: [UInt8], to subject: String, in stream: String? = nil, id: String?,
    expected: UInt64? = nil, headers more: [(String, String)] = []
  ) async throws(BusError) -> UInt64 {
    var headers = id.map { [("Nats-Msg-Id", $0)] + more } ?? more
    if let expected { headers.append(("Nats-Expected-Last-Subject-Sequence", "\(expected)")) }
    try check(bytes, to: subject, headers)
    let deadline = ContinuousClock.now + min(options.patience, .seconds(100))
    // Whether the servers may have the message although they have not said so.
    var isUncertain = false
    while true {
      var failure = BusError.timeout(subject: subject)
      do throws(BusError) {
        let answer = try await request(destination(subject), bytes, headers: headers)
        if let sequence = sequence(in: answer.bytes) { return sequence }
        if answer.status != nil {
          failure = .unavailable(subject: subject, reason: "no stream keeps it at the moment")
          if let stream, await isLost(stream) { throw .storeLost(name: stream) }
        } else if let stored = try? JSONDecoder().decode(Stored.self, from: Data(answer.bytes)),
          let error = stored.error
        {
          failure = error.refusal(of: subject)
          if !error.isTransient {
            throw isUncertain ? BusError.unknownOutcome(subject: subject) : failure
          }
        }
      } catch .timeout {
        isUncertain = true
      } catch .connection {
        isUncertain = true
        do { try await whenConnected(until: deadline) } catch BusError.closed {
          throw .closed
        } catch {
          throw .unknownOutcome(subject: subject)
        }
      }
      if deadline < .now { throw isUncertain ? .unknownOutcome(subject: subject) : failure }
      await pause()
    }
  }

  /// Stores a message if the newest one of its subject is still the expected one.
  ///
  /// If a confirmation is lost, this reads the messages that were stored after the expected one, to
  /// see whether this message is among them.
  ///
  /// - Returns: The sequence of the message, or nil if another message was stored.
  /// - Throws: ``BusError/unknownOutcome(subject:)`` if the servers no longer keep those messages.
  func compareAndSet(
    _ bytes: [UInt8], to subject: String, in stream: String, id: String, expected: UInt64
  ) async throws(BusError) -> UInt64? {
    do {
      return try await store(bytes, to: subject, id: id, expected: expected)
    } catch .refused(_, APIError.wrongLastSequence, _) {
      return nil
    } catch .unknownOutcome {
      // The code below finds out.
    }
    // Either the first message behind the expected one is this message, or this message was
    // refused, and always will be.
    guard let first = try await message(from: expected + 1, on: subject, in: stream) else {
      throw .unknownOutcome(subject: subject)
    }
    if first.headers.contains("Nats-Msg-Id: \(id)\r\n") { return first.seq }
    if try await isKept(expected, on: subject, in: stream) { return nil }
    // More messages were stored than the servers keep. This message may be among those that they
    // keep.
    var next = first
    while let message = try await message(from: next.seq + 1, on: subject, in: stream) {
      if message.headers.contains("Nats-Msg-Id: \(id)\r\n") { return message.seq }
      next = message
    }
    throw .unknownOutcome(subject: subject)
  }

  /// Whether the servers still keep every message of a subject behind a sequence.
  private func isKept(
    _ sequence: UInt64, on subject: String, in stream: String
  ) async throws(BusError) -> Bool {
    let info = try await info(of: stream, subject: subject)
    let kept = info.state.subjects?[subject] ?? 0
    // The servers forget the oldest messages only when there are more than the limit.
    if kept < UInt64(max(0, info.config.max_msgs_per_subject ?? 0)) { return true }
    if sequence == 0 { return false }
    return try await message(from: sequence, on: subject, in: stream)?.seq == sequence
  }

  /// Returns the oldest message of a subject at or behind a sequence.
  func message(
    from sequence: UInt64, on subject: String, in stream: String
  ) async throws(BusError) -> StoredMessage.Body? {
    try await found(stream, ["seq": sequence, "next_by_subj": subject])
  }

  /// Returns the newest message of a subject, or nil if there is none.
  func newest(of subject: String, in stream: String) async throws(BusError) -> StoredMessage.Body? {
    try await found(stream, ["last_by_subj": subject])
  }

  private func found(
    _ stream: String, _ request: [String: Any]
  ) async throws(BusError) -> StoredMessage.Body? {
    let bytes: [UInt8]
    do {
      bytes = try await ask("STREAM.MSG.GET.\(stream)", request)
    } catch .refused(_, APIError.messageNotFound, _) {
      return nil
    }
    return (try? JSONDecoder().decode(StoredMessage.self, from: Data(bytes)))?.message
  }

  /// Returns the present state of a stream.
  func info(of stream: String, subject: String? = nil) async throws(BusError) -> StreamInfo {
    let bytes = try await ask(
      "STREAM.INFO.\(stream)", subject.map { ["subjects_filter": $0] } ?? [:])
    guard let info = try? JSONDecoder().decode(StreamInfo.self, from: Data(bytes)) else {
      throw .refused(subject: stream, code: 0, reason: "what the server says of it is unreadable")
    }
    return info
  }

  private func isLost(_ stream: String) async -> Bool {
    do {
      _ = try await info(of: stream)
      return false
    } catch .refused(_, APIError.streamNotFound, _) {
      return true
    } catch {
      return false
    }
  }

  /// Returns every subject on which a stream keeps a message.
  func subjects(of stream: String) async throws(BusError) -> Set<String> {
    var subjects: Set<String> = []
    while true {
      // The servers answer with a part of them at a time.
      let request: [String: Any] = ["subjects_filter": ">", "offset": subjects.count]
      let bytes = try await ask("STREAM.INFO.\(stream)", request)
      let info = try? JSONDecoder().decode(StreamInfo.self, from: Data(bytes))
      let part = subjects.union((info?.state.subjects ?? [:]).keys)
      if part.count == subjects.count { return subjects }
      subjects = part
    }
  }

  /// Makes a stream unless one of that name exists.
  func makeStream(_ definition: StreamDefinition) async throws(BusError) {
    do {
      try await createStream(definition)
    } catch .refused(_, APIError.subjectsOverlap, _) {
      // The other stream may be this one, which somebody else is making: a server that makes a
      // stream compares its subjects before its name. It has the name by now.
      try await createStream(definition)
    }
  }

  private func createStream(_ definition: StreamDefinition) async throws(BusError) {
    do {
      _ = try await ask("STREAM.CREATE.\(definition.name)", definition.settings(options.replicas))
    } catch .refused(_, APIError.streamNameInUse, _) {
      // The stream exists with other settings. Somebody has chosen them for a reason.
    }
  }

  /// Makes a key-value bucket on at least `replicas` servers, unless it exists.
  func makeBucket(_ bucket: StreamDefinition, replicas: Int) async throws(BusError) {
    try await makeStream(bucket)
    if try await info(of: bucket.name).config.num_replicas >= replicas { return }
    _ = try await ask("STREAM.UPDATE.\(bucket.name)", bucket.settings(replicas))
  }

  /// Refuses a message that would make the server end the connection.
  func check(
    _ bytes: [UInt8], to subject: String, _ headers: [(String, String)]
  ) throws(BusError) {
    // With headers, there are the line `NATS/1.0`, a line for each of them, and an empty line.
    let start = bytes.count + (headers.isEmpty ? 0 : 12)
    let size = headers.reduce(start) { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 }
    if size > maxPayload { throw .tooLarge(subject: subject, size: size, limit: maxPayload) }
  }

  private func requestWhenConnected(
    _ subject: String, _ body: [UInt8], _ deadline: ContinuousClock.Instant
  ) async throws(BusError) -> Answer {
    while true {
      do throws(BusError) {
        return try await request(subject, body)
      } catch .connection {
        // The request is sent again as soon as there is a connection.
        do { try await whenConnected(until: deadline) } catch {
          throw hasClosed ? .closed : .unavailable(subject: subject, reason: "no connection")
        }
      }
    }
  }
}

/// The settings with which a stream is made, and made again if it is lost.
struct StreamDefinition: Sendable {
  let name: String
  let subjects: [String]
  var options = StreamOptions()
  /// For a bucket, the number of messages that the servers keep for each subject.
  var history: Int?

  /// Returns a key-value bucket with a name.
  ///
  /// It keeps `history` values of each key for processes that have not received them yet.
  static func bucket(_ name: Name, history: Int) -> StreamDefinition {
    StreamDefinition(name: "KV_\(name.text)", subjects: ["$KV.\(name.text).>"], history: history)
  }

  func settings(_ replicas: Int) -> [String: Any] {
    var settings: [String: Any] = [
      "name": name, "subjects": subjects, "num_replicas": replicas, "allow_direct": true,
      "max_msg_size": -1,
    ]
    settings.merge(options.settings) { $1 }
    if let history {
      settings["max_msgs_per_subject"] = history
      settings["discard"] = "new"
      settings["allow_rollup_hdrs"] = true
      settings["deny_delete"] = true
    }
    return settings
  }
}

/// Returns the sequence in JetStream's answer to a message, `{"stream":"…", "seq":7}`, without the
/// cost of parsing JSON; nil for any other answer.
func sequence(in answer: [UInt8]) -> UInt64? {
  let key = Array("\"seq\":".utf8)
  guard answer.count > key.count, !answer.starts(with: Array("{\"error\"".utf8)) else { return nil }
  var index = 0
  while index + key.count < answer.count {
    if answer[index] == key[0], answer[index..<index + key.count].elementsEqual(key) {
      var number: UInt64 = 0
      var position = index + key.count
      while position < answer.count, (48...57).contains(answer[position]) {
        let (next, overflows) = number.multipliedReportingOverflow(by: 10)
        if overflows { return nil }
        number = next &+ UInt64(answer[position] - 48)
        position += 1
      }
      return number > 0 ? number : nil
    }
    index += 1
  }
  return nil
}
