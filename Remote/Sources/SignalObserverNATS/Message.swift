/// A payload with the subject that it was sent to.
public struct Message<Payload> {
  /// The subject, without wildcards.
  public let subject: String
  /// What was sent.
  public let payload: Payload
}

extension Message: Sendable where Payload: Sendable {}
extension Message: Equatable where Payload: Equatable {}
