import Foundation

// The requests to JetStream that streams and values make, in its own JSON.

/// What JetStream answers to a message that it was sent: where it is kept, or why not.
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
  static let messageNotFound = 10037
  static let streamNameInUse = 10058

  /// Whether the same request may succeed later: the server says 503 while a cluster has no leader.
  var isTransient: Bool { code == 503 || err_code == 10005 }
}

private struct Failed: Decodable { let error: APIError? }

/// A message of a stream, as JetStream returns it when asked for one.
struct StoredMessage: Decodable {
  struct Body: Decodable {
    let subject: String
    let seq: UInt64
    let data: String?
    var bytes: [UInt8] { data.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } ?? [] }
  }
  let message: Body?
}

extension Link {
  /// Asks JetStream's interface, again and again while there is no connection or no leader.
  func ask(_ api: String, _ body: [String: Any]) async throws(BusError) -> [UInt8] {
    guard let json = try? JSONSerialization.data(withJSONObject: body) else {
      throw .refused(subject: api, code: 0, reason: "not expressible in JSON")
    }
    let subject = "$JS.API.\(api)"
    while true {
      if Task.isCancelled { throw .closed }
      let answer: Answer
      do {
        answer = try await requestWhenConnected(subject, [UInt8](json))
      } catch .timeout {
        continue
      }
      if answer.status != nil {
        await pause()
        continue
      }
      let failed = try? JSONDecoder().decode(Failed.self, from: Data(answer.bytes))
      guard let error = failed?.error else { return answer.bytes }
      if !error.isTransient {
        throw .refused(
          subject: api, code: error.err_code ?? error.code, reason: error.description ?? "")
      }
      await pause()
    }
  }

  /// Stores a message, again and again until it is stored once, and returns its sequence.
  ///
  /// Cancelling the task does not end it.
  ///
  /// By `id` the server knows that it has the message already. `expected` is the sequence that the
  /// newest message of the subject must have; 0 for none.
  func store(
    _ bytes: [UInt8], to subject: String, id: String? = nil, expected: UInt64? = nil
  ) async throws(BusError) -> UInt64 {
    if bytes.count > maxPayload {
      throw .tooLarge(subject: subject, size: bytes.count, limit: maxPayload)
    }
    var headers: [(String, String)] = []
    if let id { headers.append(("Nats-Msg-Id", id)) }
    if let expected { headers.append(("Nats-Expected-Last-Subject-Sequence", "\(expected)")) }
    while true {
      let answer: Answer
      do {
        answer = try await requestWhenConnected(subject, bytes, headers)
      } catch .timeout {
        continue
      }
      if let sequence = sequence(in: answer.bytes) { return sequence }
      if answer.status == nil,
        let stored = try? JSONDecoder().decode(Stored.self, from: Data(answer.bytes))
      {
        if let error = stored.error, !error.isTransient {
          throw .refused(
            subject: subject, code: error.err_code ?? error.code, reason: error.description ?? "")
        }
      }
      await pause()
    }
  }

  /// Stores a message if the newest of its subject is still the expected one.
  ///
  /// - Returns: Its sequence, or nil if it is not.
  func compareAndSet(
    _ bytes: [UInt8], to subject: String, id: String? = nil, expected: UInt64
  ) async throws(BusError) -> UInt64? {
    do {
      return try await store(bytes, to: subject, id: id, expected: expected)
    } catch {
      if case .refused(_, APIError.wrongLastSequence, _) = error { return nil }
      throw error
    }
  }

  /// The newest message of a subject, or nil if there is none.
  func newest(of subject: String, in stream: String) async throws(BusError) -> StoredMessage.Body? {
    let bytes: [UInt8]
    do {
      bytes = try await ask("STREAM.MSG.GET.\(stream)", ["last_by_subj": subject])
    } catch .refused(_, APIError.messageNotFound, _) {
      return nil
    }
    return (try? JSONDecoder().decode(StoredMessage.self, from: Data(bytes)))?.message
  }

  /// Makes a stream unless there is one of the name.
  func makeStream(_ name: String, _ settings: [String: Any]) async throws(BusError) {
    var settings = settings
    settings["name"] = name
    settings["num_replicas"] = options.replicas
    settings["storage"] = "file"
    settings["allow_direct"] = true
    do {
      _ = try await ask("STREAM.CREATE.\(name)", settings)
    } catch .refused(_, APIError.streamNameInUse, _) {
      // With other settings, which are somebody's who knows why.
    }
  }

  /// Makes a key-value bucket unless there is one of the name.
  ///
  /// It keeps `history` values of a key for those who have not seen them yet.
  func makeBucket(_ name: String, history: Int) async throws(BusError) {
    try await makeStream(
      "KV_\(name)",
      [
        "subjects": ["$KV.\(name).>"], "max_msgs_per_subject": history, "discard": "new",
        "allow_rollup_hdrs": true, "deny_delete": true,
      ])
  }

  private func requestWhenConnected(
    _ subject: String, _ body: [UInt8], _ headers: [(String, String)] = []
  ) async throws(BusError) -> Answer {
    while true {
      do throws(BusError) {
        return try await request(subject, body, headers: headers)
      } catch .connection {
        // Tried again as soon as there is a connection.
        do { try await whenConnected() } catch { throw .closed }
      }
    }
  }

  /// A moment that does not end with the task: what is handled is marked so, also if nobody wants more.
  private func pause() async {
    await withCheckedContinuation { done in
      wire.asyncAfter(deadline: .now() + .milliseconds(100)) { done.resume() }
    }
  }
}

/// The sequence in JetStream's answer to a message, `{"stream":"…", "seq":7}`, without the cost of
/// reading JSON; nil for any other answer.
func sequence(in answer: [UInt8]) -> UInt64? {
  let key = Array("\"seq\":".utf8)
  guard answer.count > key.count, !answer.starts(with: Array("{\"error\"".utf8)) else { return nil }
  var index = 0
  while index + key.count < answer.count {
    if answer[index] == key[0], answer[index..<index + key.count].elementsEqual(key) {
      var number: UInt64 = 0
      var position = index + key.count
      while position < answer.count, (48...57).contains(answer[position]) {
        number = number * 10 + UInt64(answer[position] - 48)
        position += 1
      }
      return number > 0 ? number : nil
    }
    index += 1
  }
  return nil
}
