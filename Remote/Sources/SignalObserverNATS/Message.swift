/// A payload with the subject that it was sent to.
public struct Message<Payload> {
  /// The subject, without wildcards.
  public let subject: String
  /// The payload.
  public let payload: Payload

  @inlinable
  init(subject: String, payload: Payload) {
    self.subject = subject
    self.payload = payload
  }
}

extension Message: Sendable where Payload: Sendable {}
extension Message: Equatable where Payload: Equatable {}
