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
