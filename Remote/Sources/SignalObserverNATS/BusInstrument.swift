import Foundation
import SignalObserver

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
      do { try inject(&headers) } catch {
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
