/// What went wrong on a bus.
///
/// ``Bus/errors`` sends every error that nobody waits for; none of them stops anything else.
public enum BusError: Error, Sendable, Hashable {
  /// Why messages over core subjects did not reach the server, or the slots.
  public enum Loss: Sendable, Hashable {
    /// There was no room for them while there was no connection, or it was too slow.
    case outboxFull
    /// They were handed to a connection that ended before the server confirmed them: an upper bound,
    /// some may have arrived.
    case unconfirmed
    /// The slots of the signal are slower than its messages.
    case slowSlots
  }

  /// Messages over core subjects were lost, `count` of them since the last error of this kind.
  ///
  /// `subject` is nil where the messages of all subjects are counted together.
  case lost(count: Int, subject: String?, because: Loss)
  /// A message could not be decoded; it was skipped.
  case undecodable(subject: String, bytes: [UInt8], reason: String)
  /// A payload could not be encoded; it was not sent.
  case unencodable(subject: String, reason: String)
  /// A message was larger than the server takes; it was not sent.
  case tooLarge(subject: String, size: Int, limit: Int)
  /// The server refused a request or a message for good.
  case refused(subject: String, code: Int, reason: String)
  /// A slot threw; it gets the message again.
  case slotThrew(subject: String, sequence: UInt64, reason: String)
  /// Another process has taken over a named consumer, which goes on there.
  case takenOver(consumer: String)
  /// No answer came in time.
  case timeout(subject: String)
  /// The bus is closed.
  case closed
  /// No connection could be made, or it ended; it is made again unless the bus is closed.
  case connection(reason: String)
}
