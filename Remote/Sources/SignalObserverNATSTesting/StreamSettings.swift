import Foundation

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
    nanoseconds = Int64((date.timeIntervalSince1970 * 1000).rounded()) * 1_000_000
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
