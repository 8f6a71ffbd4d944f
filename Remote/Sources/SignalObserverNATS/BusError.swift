/// An error of a bus.
///
/// ``Bus/errors`` sends every error that no call throws. None of them stops anything else.
public enum BusError: Error, Sendable, Hashable {
  /// The reason why messages did not reach the server, or the slots.
  public enum Loss: Sendable, Hashable {
    /// The outbox was full, because there was no connection, or the connection was too slow.
    case outboxFull
    /// The connection ended before the server confirmed the messages. Some of them may have
    /// arrived, so the number is an upper bound.
    case unconfirmed
    /// The slots of the signal are slower than its messages.
    case slowSlots
    /// The server does not permit this user to send to the subject.
    case notPermitted
    /// The bus was closed before the server had the messages.
    case closed
    /// The slots of ``Bus/errors`` are slower than the errors are reported. What was lost are
    /// errors, and not messages.
    case tooManyErrors
  }

  /// Messages were lost: `count` of them since the last error of this kind.
  ///
  /// `subject` is nil if the messages of all subjects are counted together.
  case lost(count: Int, subject: String?, because: Loss)
  /// A message could not be decoded, and was skipped. If ``Bus/errors`` sends this, `bytes` has at
  /// most its first 1,024 bytes; ``BusOptions/undecodable`` gets all of them.
  case undecodable(subject: String, bytes: [UInt8], reason: String)
  /// A payload could not be encoded, and was not sent.
  case unencodable(subject: String, reason: String)
  /// A message with its headers was larger than the server accepts, and was not sent.
  case tooLarge(subject: String, size: Int, limit: Int)
  /// A text is not a valid subject, pattern or name.
  case invalid(text: String, reason: String)
  /// The server does not permit this user to send to the subject, or to subscribe to it.
  case notPermitted(subject: String)
  /// The server refused a request or a message, and trying again would not help.
  case refused(subject: String, code: Int, reason: String)
  /// Nobody answers for the subject: the server has no JetStream, the stream has no leader, or no
  /// stream keeps the subject.
  case unavailable(subject: String, reason: String)
  /// A stream, or the bucket of a value, is no longer the same: the servers have lost it, or
  /// somebody has deleted it. Its senders, consumers and values begin again.
  case storeLost(name: String)
  /// According to its mark, a named consumer has handled a message that its stream does not have
  /// yet.
  case markAhead(consumer: String, handled: UInt64, last: UInt64)
  /// The mark of a named consumer, which the servers keep, cannot be read.
  case unreadableMark(consumer: String)
  /// A slot threw an error. It will get the message again.
  case slotThrew(subject: String, sequence: UInt64, reason: String)
  /// A slot threw too often. The message is stored among the dead letters, and the messages behind
  /// it are delivered. A second error of this kind says if it is too large to be stored there.
  case gaveUp(subject: String, sequence: UInt64, reason: String)
  /// Another process has taken over a named consumer, and handles its messages from now on.
  case takenOver(consumer: String)
  /// Nobody answered in time.
  case timeout(subject: String)
  /// Nobody answered in time, and there is no way to find out whether the servers did what was
  /// asked.
  case unknownOutcome(subject: String)
  /// The bus would have sent credentials to a server without TLS, and refused to.
  case insecureCredentials(server: String)
  /// The task that asked a question was cancelled before there was an answer.
  case cancelled
  /// The bus is closed.
  case closed
  /// No connection could be made, or the connection ended. The bus tries again unless it is closed.
  case connection(reason: String)
}

extension BusError {
  /// Whether a message is larger than the server or the stream accepts.
  var isTooLarge: Bool {
    switch self {
    case .tooLarge, .refused(_, APIError.messageTooLarge, _): true
    default: false
    }
  }

  /// The name of the case.
  package var kind: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
