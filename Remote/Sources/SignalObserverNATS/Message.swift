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

/// The beginning of a text, as the value of a header, which has one line.
func headerText(_ text: String) -> String {
  String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 }.prefix(512))
}
