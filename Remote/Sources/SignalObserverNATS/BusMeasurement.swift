import Synchronization

/// What a bus measures for its instruments: see ``BusInstrument/measure``.
///
/// Numbers of messages and bytes, and what waits, are measured about twice a second, and times when
/// they end.
public enum BusMeasurement: Sendable, Hashable {
  /// The messages that were sent over core subjects since the last measurement.
  case sent(messages: Int, bytes: Int)
  /// The messages that streams have stored since the last measurement.
  case stored(messages: Int, bytes: Int)
  /// The messages that were delivered to signals and consumers since the last measurement.
  case delivered(messages: Int, bytes: Int)
  /// What waits now: messages that are not sent or stored, and the bytes of messages that wait for
  /// slots.
  case waiting(unsentMessages: Int, pendingBytes: Int)
  /// The time in which a server has confirmed what was sent, or has answered a ping.
  case roundTrip(Duration)
  /// The time from an emission to the confirmation that a stream has stored it.
  ///
  /// The bus measures one message of a stream at a time.
  case storing(stream: String, Duration)
  /// The time for which the slots of a consumer had a message.
  case handling(stream: String, consumer: String, Duration)
  /// The time for which a slot had a question. `subject` may have wildcards.
  case answering(subject: String, Duration)
  /// The time in which a question was answered, or failed.
  case asking(subject: String, Duration)
}

/// The numbers of a bus that is measured.
///
/// Relaxed, because the numbers publish no other memory.
final class Tally: Sendable {
  final class Count: Sendable {
    private let messages = Atomic(0)
    private let bytes = Atomic(0)

    func add(_ messages: Int, _ bytes: Int) {
      self.messages.add(messages, ordering: .relaxed)
      self.bytes.add(bytes, ordering: .relaxed)
    }

    func take() -> (messages: Int, bytes: Int) {
      (messages.exchange(0, ordering: .relaxed), bytes.exchange(0, ordering: .relaxed))
    }
  }

  let sent = Count()
  let stored = Count()
  let delivered = Count()

  /// Returns what was counted since the last call.
  func take() -> [BusMeasurement] {
    let (sent, stored, delivered) = (sent.take(), stored.take(), delivered.take())
    var measurements: [BusMeasurement] = []
    if sent.messages > 0 { measurements.append(.sent(messages: sent.messages, bytes: sent.bytes)) }
    if stored.messages > 0 {
      measurements.append(.stored(messages: stored.messages, bytes: stored.bytes))
    }
    if delivered.messages > 0 {
      measurements.append(.delivered(messages: delivered.messages, bytes: delivered.bytes))
    }
    return measurements
  }
}
