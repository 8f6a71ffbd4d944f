import Foundation
public import SignalObserver

/// A source of the messages of a stream, in order, of which each is handled once by all processes
/// together.
///
/// ``RemoteStream/consumer(_:on:from:of:as:isShared:batch:)`` makes one. One process at a time handles the messages for
/// a consumer's name. Other processes with the same name wait, and take over when that process ends
/// or is silent for ``BusOptions/takeover``.
///
/// A message is *handled* when the slots that got it have returned, and the servers have confirmed
/// the mark that says so. Only then is the next message delivered. A message that is not handled is
/// delivered again: if a slot has thrown, if no slot took it (because all are cancelled, suspended
/// or have lost their targets), after the death of the process, and to a process that takes over.
/// If a process dies after its slot has returned, but before the mark is confirmed, the next
/// process gets that one message again, with ``StreamMessage/mayBeRepeated``.
///
/// With a `batch` of more than one message, the mark is written after half of so many messages, and
/// when there are no more, or a slot throws. Slots handle the other half meanwhile. If the process
/// dies, at most so many messages are delivered again, each with ``StreamMessage/mayBeRepeated``.
///
/// `values`, the operators of time, `merge`, `combineLatest`, `zip`, `reductions(into:)`, `replay`
/// and an operator before `buffering` hand their payloads on. The message counts as handled when
/// they have taken it, before a slot behind them runs elsewhere. For work that takes time, use an
/// asynchronous slot without them, which has returned when the work is done.
///
/// All processes with the name of a *shared* consumer handle messages at the same time, each one
/// message after the other. A message is handled when its slots have returned and the servers have
/// confirmed the acknowledgement. If a process ends or is silent for ``BusOptions/takeover``, others
/// get its message, with ``StreamMessage/mayBeRepeated``. A server that is killed may forget
/// acknowledgements of the last moments, and deliver those messages again, with
/// ``StreamMessage/mayBeRepeated``.
public final class RemoteConsumer<Payload: Sendable>: Sendable {
  private let handling: Handling<Payload>

  init(
    _ link: Link, _ stream: StreamDefinition, _ name: Name, _ subject: SubjectPattern?,
    _ start: StreamStart, _ coding: Coding<Payload>, isShared: Bool, batch: Int
  ) {
    handling = Handling(link, stream, name, subject, start, coding, isShared, batch)
  }

  deinit { handling.finish() }

  /// The number of the last message that is handled, as far as this process knows.
  public var handledSequence: UInt64 { handling.handledSequence }
}

extension RemoteConsumer: SignalSource {
  /// Adds a slot behind the others, and begins to take messages from the stream.
  ///
  /// The connect forms call this. Inline slots run on a queue of this consumer. A connected slot
  /// keeps the consumer alive.
  public func attach(_ slot: SignalSlot<StreamMessage<Payload>>) -> SignalObserver {
    let observer = handling.source.attach(
      slot.adapted { (arrival: StreamArrival<Payload>) in
        withExtendedLifetime(self) {
          arrival.receipt.begin()
          return arrival.message
        }
      })
    handling.begin()
    return observer
  }

  /// Connects a slot that may throw an error.
  ///
  /// The message is then delivered again.
  ///
  /// Use this if handling a message may fail for some time, such as while a database is down. The
  /// other connect forms take slots that cannot fail.
  ///
  /// The message is delivered again after a tenth of a second, and then at longer intervals, up to
  /// five seconds. The messages behind it wait. ``Bus/errors`` sends each error. When slots have
  /// thrown ``BusOptions/maximumDeliveries`` times, the message becomes a dead letter, and the next
  /// message is delivered. A dead letter is stored on the subject `dead-letters.STREAM.NAME` of the
  /// stream ``BusOptions/deadLetters``, with the error in the header `Dead-Letter-Error`.
  ///
  /// - Parameter slot: A function that handles a message. It is called for one message at a time.
  /// - Returns: The observer of the connection.
  @discardableResult
  public func connect(
    throwing slot: @escaping @Sendable (StreamMessage<Payload>) async throws -> Void
  ) -> SignalObserver {
    let observer = handling.source.connect { @Sendable arrival async in
      await withExtendedLifetimeOf(self) { await arrival.handle(slot) }
    }
    handling.begin()
    return observer
  }

  /// Connects a method that may throw an error.
  ///
  /// The message is then delivered again.
  ///
  /// See ``connect(throwing:)``. The connection holds the target weakly.
  @discardableResult
  public func connect<Target: AnyObject & Sendable>(
    throwing target: Target,
    _ slot: @escaping @Sendable (Target) -> (StreamMessage<Payload>) async throws -> Void
  ) -> SignalObserver {
    let observer = handling.source.connect(target) { @Sendable target, arrival async in
      await withExtendedLifetimeOf(self) {
        await arrival.handle { message in try await slot(target)(message) }
      }
    }
    handling.begin()
    return observer
  }
}

private func withExtendedLifetimeOf(
  _ object: any AnyObject & Sendable, _ body: @Sendable () async -> Void
) async {
  await body()
  withExtendedLifetime(object) {}
}

/// A message on its way to its slots.
struct StreamArrival<Payload: Sendable>: Sendable {
  let message: StreamMessage<Payload>
  let receipt: Receipt

  func handle(_ slot: @Sendable (StreamMessage<Payload>) async throws -> Void) async {
    receipt.begin()
    do { try await slot(message) } catch { receipt.fail("\(error)") }
  }
}

/// An object that a message holds until it has been delivered to every slot, and that knows whether a
/// slot took the message.
final class Receipt: Sendable {
  enum Outcome: Sendable {
    case handled, notTaken
    case threw(String)
  }

  private struct State {
    var outcome = Outcome.notTaken
    var done: CheckedContinuation<Outcome, Never>?
  }

  private let state = Locked(State())

  deinit {
    let (outcome, done) = state.withLock { ($0.outcome, $0.done) }
    done?.resume(returning: outcome)
  }

  /// Notes that a slot takes the message, before the slot runs, in its place.
  func begin() {
    state.withLock { if case .notTaken = $0.outcome { $0.outcome = .handled } }
  }

  func fail(_ reason: String) {
    state.withLock { $0.outcome = .threw(reason) }
  }

  /// Returns the outcome to the only holder of the object, which can then be used for another message.
  func takeOutcome() -> Outcome {
    state.withLock { state in
      defer { state.outcome = .notTaken }
      return state.outcome
    }
  }

  /// Resumes `done` with the outcome when nobody holds the object any more.
  func finish(_ done: CheckedContinuation<Outcome, Never>) { state.withLock { $0.done = done } }
}

/// The messages of a consumer, with what instruments bind while a slot handles one, until the bus is
/// closed.
struct ArrivalSource<Payload: Sendable>: SignalSource {
  let signal: Signal<StreamArrival<Payload>>
  let link: Link

  func attach(_ slot: SignalSlot<StreamArrival<Payload>>) -> SignalObserver {
    signal.attach(
      link.instruments.bind(slot) { $0.message.headers }
        .compactAdapted { [link] in link.hasClosed ? nil : $0 })
  }
}
