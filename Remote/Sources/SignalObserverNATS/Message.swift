/// A payload with the subject that it was sent to.
public struct Message<Payload> {
  /// The subject, without wildcards.
  public let subject: String
  /// The payload.
  public let payload: Payload
  /// The headers that the sender has set.
  public let headers: MessageHeaders
  /// The subject for the answer, if the message is a question.
  @usableFromInline let reply: String?

  @inlinable
  init(subject: String, payload: Payload, headers: MessageHeaders, reply: String? = nil) {
    self.subject = subject
    self.payload = payload
    self.headers = headers
    self.reply = reply
  }
}

extension Message: Sendable where Payload: Sendable {}
extension Message: Equatable where Payload: Equatable {
  /// Whether two messages have the same subject and the same payload, whatever their headers are.
  public static func == (one: Message, other: Message) -> Bool {
    one.subject == other.subject && one.payload == other.payload
  }
}

/// The beginning of a text, as the value of a header, which has one line, and is not empty.
func headerText(_ text: String) -> String {
  let line = text.map { $0.isNewline || $0 == "\0" ? " " : $0 }.prefix(512)
  return line.allSatisfy(\.isWhitespace) ? "an error without a text" : String(line)
}

/// A message of a stream.
public struct StreamMessage<Payload> {
  /// The subject, without wildcards.
  public let subject: String
  /// The payload.
  public let payload: Payload
  /// The headers that the sender has set.
  public let headers: MessageHeaders
  /// The number of the message in its stream.
  ///
  /// It stays the same if the message is delivered again.
  public let sequence: UInt64
  /// Whether a slot of this or another process may have begun to handle the message before.
  ///
  /// It is true for every message that is delivered again. After a process has taken over a consumer
  /// that is not shared, it is also true for the first message, or for as many as the batch of the
  /// process before. For a worker of a shared consumer that begins, or begins again with another
  /// connection, it is also true for up to a hundred messages behind the last one that workers had.
  public let mayBeRepeated: Bool
}

extension StreamMessage: Sendable where Payload: Sendable {}
extension StreamMessage: Equatable where Payload: Equatable {}
