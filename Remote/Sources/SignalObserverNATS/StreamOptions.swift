public import Foundation

/// What a stream keeps, and where.
///
/// It matters when the stream is made, and when it is made again after a loss. A stream that exists
/// keeps what it was made with.
public struct StreamOptions: Sendable, Hashable {
  /// The largest number of messages; nil for any number.
  public var messageLimit: Int?
  /// The largest size of all messages together, in bytes; nil for any size.
  public var sizeLimit: Int?
  /// How long a message is kept; nil for ever.
  ///
  /// The servers remember the identities of messages for at most as long.
  public var ageLimit: Duration?
  /// Whether a full stream refuses new messages, and does not drop the oldest ones.
  ///
  /// ``BusError/refused(subject:code:reason:)`` reports each of them to its sender.
  public var refusesWhenFull = false
  /// Whether the servers keep the stream in memory, and lose it when they end.
  public var isInMemory = false
  /// Whether the stream drops a message when it is handled.
  ///
  /// It then has shared consumers only, and no two for one subject.
  public var dropsHandled = false

  /// Creates options with which the stream keeps every message in files.
  public init() {}

  /// What the servers call it.
  var settings: [String: Any] {
    let window = Duration.seconds(120)
    var settings: [String: Any] = [
      "storage": isInMemory ? "memory" : "file", "discard": refusesWhenFull ? "new" : "old",
      "retention": dropsHandled ? "workqueue" : "limits",
      "duplicate_window": min(window, ageLimit ?? window).nanoseconds,
    ]
    if let messageLimit { settings["max_msgs"] = messageLimit }
    if let sizeLimit { settings["max_bytes"] = sizeLimit }
    if let ageLimit { settings["max_age"] = ageLimit.nanoseconds }
    return settings
  }
}

/// The message of a stream with which a named consumer begins.
///
/// It matters once, when nothing has a consumer with that name yet. Later the consumer continues
/// behind the last message that it has handled. If the servers lose the stream, it begins at the
/// beginning of the new one.
public enum StreamStart: Sendable, Hashable {
  /// The oldest message.
  case beginning
  /// The first message that is stored after the consumer was made.
  case end
  /// The message with a sequence.
  case sequence(UInt64)
  /// The first message that was stored at a time or later; ``end`` if the time is in the future.
  case time(Date)

  /// What the servers call it.
  var settings: [String: Any] {
    switch self {
    case .beginning: ["deliver_policy": "all"]
    case .end: ["deliver_policy": "new"]
    case .sequence(let sequence):
      ["deliver_policy": "by_start_sequence", "opt_start_seq": max(1, sequence)]
    case .time(let date):
      [
        "deliver_policy": "by_start_time",
        "opt_start_time": Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date),
      ]
    }
  }

  /// The settings of a consumer that acknowledges nothing, and that the servers forget when nobody
  /// has used it for a time.
  func settings(keptFor time: Duration) -> [String: Any] {
    let own: [String: Any] = [
      "ack_policy": "none", "mem_storage": true, "num_replicas": 1,
      "inactive_threshold": time.nanoseconds,
    ]
    return own.merging(settings) { $1 }
  }
}

extension Link {
  /// Returns the sequence of the last message before a start; 0 for the beginning.
  func position(before start: StreamStart, in stream: String) async throws(BusError) -> UInt64 {
    if start == .beginning { return 0 }
    // The servers answer with where a new consumer is, and forget the consumer.
    let bytes = try await ask(
      "CONSUMER.CREATE.\(stream)",
      ["stream_name": stream, "config": start.settings(keptFor: .seconds(1))])
    struct Made: Decodable {
      struct Position: Decodable { let stream_seq: UInt64 }
      let delivered: Position
    }
    guard let made = try? JSONDecoder().decode(Made.self, from: Data(bytes)) else {
      throw .refused(subject: stream, code: 0, reason: String(decoding: bytes, as: UTF8.self))
    }
    return made.delivered.stream_seq
  }
}
