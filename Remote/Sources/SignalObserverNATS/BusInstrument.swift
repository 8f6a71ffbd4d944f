import Foundation
import SignalObserver
import Synchronization

/// What watches a bus, or accompanies its messages: a log, metrics, the context of a trace.
///
/// The products `SignalObserverNATSLogging`, `SignalObserverNATSMetrics` and
/// `SignalObserverNATSTracing` have one each:
///
/// ```swift
/// options.instruments = [.logging(to: logger), .metrics(), .tracing()]
/// ```
///
/// The functions of all instruments that watch a bus are called one after the other, on a queue of
/// the bus. A bus without a function pays nothing for it.
public struct BusInstrument: Sendable {
  /// A function that adds headers to each message of a signal or a stream, and to each question.
  ///
  /// It is called on the thread that emits, or in the task that asks. If it throws, the message is
  /// sent without the headers, and ``Bus/errors`` reports that.
  public var inject: (@Sendable (inout MessageHeaders) throws -> Void)?
  /// A function that is called with each error that no call throws.
  public var error: (@Sendable (BusError) -> Void)?
  /// A function that is called with each state of the connection.
  public var state: (@Sendable (ConnectionState) -> Void)?
  /// A function that is called with what the bus measures.
  public var measure: (@Sendable (BusMeasurement) -> Void)?
  var slotValue: (any SlotValue)?

  /// Creates an instrument that does nothing.
  public init() {}

  /// Runs slots with a task-local value that depends on the headers of their message.
  ///
  /// The slots are those of signals and consumers, and those that answer questions, in whichever
  /// place they run. Operators of time, `values` and `next()` hand a payload on, and the value is
  /// not bound where it is used later.
  ///
  /// - Parameters:
  ///   - local: The task-local property, by its `$` name.
  ///   - value: A function that returns the value. It runs once for each slot that gets a message.
  public mutating func runSlots<Value: Sendable>(
    with local: TaskLocal<Value>, as value: @escaping @Sendable (MessageHeaders) -> Value
  ) {
    slotValue = TaskLocalValue(local: local, value: value)
  }

  /// Writes each error that no call throws as a line to the standard error.
  public static var standardError: BusInstrument {
    var instrument = BusInstrument()
    instrument.error = { error in
      FileHandle.standardError.write(Data("SignalObserverNATS: \(error)\n".utf8))
    }
    return instrument
  }
}

/// A task-local value of the slots, whatever its type is.
protocol SlotValue: Sendable {
  func bind<Message>(
    _ slot: SignalSlot<Message>, _ headers: @escaping @Sendable (Message) -> MessageHeaders
  ) -> SignalSlot<Message>
}

private struct TaskLocalValue<Value: Sendable>: SlotValue {
  let local: TaskLocal<Value>
  let value: @Sendable (MessageHeaders) -> Value

  func bind<Message>(
    _ slot: SignalSlot<Message>, _ headers: @escaping @Sendable (Message) -> MessageHeaders
  ) -> SignalSlot<Message> {
    slot.running(with: local) { [value] message in value(headers(message)) }
  }
}

/// The instruments of a bus.
struct Instruments: Sendable {
  private let injectors: [@Sendable (inout MessageHeaders) throws -> Void]
  private let slotValues: [any SlotValue]
  let errors: [@Sendable (BusError) -> Void]
  let states: [@Sendable (ConnectionState) -> Void]
  let measures: [@Sendable (BusMeasurement) -> Void]

  init(_ all: [BusInstrument]) {
    injectors = all.compactMap(\.inject)
    slotValues = all.compactMap(\.slotValue)
    errors = all.compactMap(\.error)
    states = all.compactMap(\.state)
    measures = all.compactMap(\.measure)
  }

  /// Adds headers to a message, on the thread that sends it.
  func inject(into headers: inout MessageHeaders, _ report: (BusError) -> Void) {
    for inject in injectors {
      var injected = headers
      do {
        try inject(&injected)
        headers = injected
      } catch {
        report((error as? BusError) ?? .invalid(text: "headers", reason: "\(error)"))
      }
    }
  }

  /// Returns the slot with what is bound while it runs.
  func bind<Message>(
    _ slot: SignalSlot<Message>, _ headers: @escaping @Sendable (Message) -> MessageHeaders
  ) -> SignalSlot<Message> {
    slotValues.reduce(slot) { slot, value in value.bind(slot, headers) }
  }
}

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
