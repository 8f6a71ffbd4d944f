import Foundation
public import SignalObserver
import Synchronization

/// A message of a stream.
public struct StreamMessage<Payload> {
  /// The subject, without wildcards.
  public let subject: String
  /// What was sent.
  public let payload: Payload
  /// The number of the message in its stream: the same whenever it is delivered.
  public let sequence: UInt64
  /// Whether a slot of this or another process may have begun with it before, and not finished.
  ///
  /// True of every message that is delivered again, and of the first after a process has taken over.
  public let mayBeRepeated: Bool
}

extension StreamMessage: Sendable where Payload: Sendable {}
extension StreamMessage: Equatable where Payload: Equatable {}

/// The messages of a stream in order, each handled once by all processes together.
///
/// Made by ``RemoteStream/consumer(_:on:of:as:)``. One process at a time handles the messages of a
/// name; others of the same name wait, and take over when it ends, or is silent for
/// ``BusOptions/takeover``.
///
/// A message is *handled* when the slots that it was given to have returned, and the servers have
/// confirmed the mark that says so. The next message is delivered after that. What is not handled is
/// delivered again: after a slot that throws, if no slot took it (all of them are cancelled, suspended
/// or have lost their targets), after the death of the process, and to the process that takes over.
/// A process that dies after its slot has returned and before the mark is confirmed leaves one message
/// that the next process gets again, with ``StreamMessage/mayBeRepeated``.
///
/// Slots that hand their payloads on, `values` and the operators of time, have returned when they
/// have: use an asynchronous slot for what takes its time.
public final class RemoteConsumer<Payload: Sendable>: Sendable {
  private let handling: Handling<Payload>

  init(
    _ link: Link, _ stream: String, _ name: String, _ subject: String?, _ coding: Coding<Payload>
  ) {
    handling = Handling(link, stream, name, subject, coding)
  }

  deinit { handling.finish() }

  /// The last message that is handled, as far as this process knows.
  public var handledSequence: UInt64 { handling.handledSequence }
}

extension RemoteConsumer: SignalSource {
  /// Adds a slot behind the others, and begins to take messages.
  ///
  /// The connect forms call this. Inline slots run on a queue of this consumer. A connected slot keeps
  /// the consumer.
  public func attach(_ slot: SignalSlot<StreamMessage<Payload>>) -> SignalObserver {
    let observer = handling.signal.attach(
      slot.adapted { (arrival: StreamArrival<Payload>) in
        withExtendedLifetime(self) {
          arrival.receipt.begin()
          return arrival.message
        }
      })
    handling.begin()
    return observer
  }

  /// Connects a slot that may throw: the message is then delivered again.
  ///
  /// It is tried again after a tenth of a second, and then less often, up to every five seconds. The
  /// messages behind it wait. ``Bus/errors`` tells of each time.
  ///
  /// - Parameter slot: Handles a message, one at a time.
  /// - Returns: The observer of the connection.
  @discardableResult
  public func connect(
    throwing slot: @escaping @Sendable (StreamMessage<Payload>) async throws -> Void
  ) -> SignalObserver {
    let observer = handling.signal.connect { @Sendable arrival async in
      await withExtendedLifetimeOf(self) { await arrival.handle(slot) }
    }
    handling.begin()
    return observer
  }

  /// Connects a method that may throw: the message is then delivered again.
  ///
  /// See ``connect(throwing:)``. The target is held weakly.
  @discardableResult
  public func connect<Target: AnyObject & Sendable>(
    throwing target: Target,
    _ slot: @escaping @Sendable (Target) -> (StreamMessage<Payload>) async throws -> Void
  ) -> SignalObserver {
    let observer = handling.signal.connect(target) { @Sendable target, arrival async in
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

/// Held by a message until it has been delivered to every slot, and says then whether one took it.
final class Receipt: Sendable {
  enum Outcome: Sendable {
    case handled, notTaken
    case threw(String)
  }

  private let outcome = Mutex(Outcome.notTaken)
  private let done: CheckedContinuation<Outcome, Never>

  init(_ done: CheckedContinuation<Outcome, Never>) {
    self.done = done
  }

  deinit { done.resume(returning: outcome.withLock { $0 }) }

  /// Where a slot runs, before it does.
  func begin() {
    outcome.withLock { if case .notTaken = $0 { $0 = .handled } }
  }

  func fail(_ reason: String) {
    outcome.withLock { $0 = .threw(reason) }
  }
}

/// The task of a named consumer.
final class Handling<Payload: Sendable>: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isFinished = false
    var handled: UInt64 = 0
  }

  private let state = Mutex(State())
  private let emitter: Mutex<Emitter<StreamArrival<Payload>>?>
  let signal: Signal<StreamArrival<Payload>>
  private let queue: DispatchQueue
  private let link: Link
  private let stream: String
  private let name: String
  private let subject: String?
  private let coding: Coding<Payload>
  private let mark: ConsumerMark

  init(
    _ link: Link, _ stream: String, _ name: String, _ subject: String?, _ coding: Coding<Payload>
  ) {
    self.link = link
    self.stream = stream
    self.name = name
    self.subject = subject
    self.coding = coding
    let emitter = Emitter<StreamArrival<Payload>>()
    signal = emitter.signal
    self.emitter = Mutex(emitter)
    queue = DispatchQueue(label: "signalobserver.nats.consumer \(stream).\(name)")
    mark = ConsumerMark(link, stream: stream, consumer: name)
  }

  var handledSequence: UInt64 { state.withLock { $0.handled } }

  func begin() {
    state.withLock { state in
      guard state.task == nil, !state.isFinished else { return }
      state.task = Task { await self.run() }
    }
  }

  /// Ends the source, because nobody holds it.
  func finish() {
    let task = state.withLock { state in
      state.isFinished = true
      return state.task.take()
    }
    if let task { task.cancel() } else { end() }
  }

  private func end() {
    let ended = emitter.withLock { $0.take() }
    withExtendedLifetime(ended) {}
  }

  private func run() async {
    let beats = Task { [mark, link] in
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: link.options.takeover / 3)
          try await mark.beat()
        } catch is CancellationError {
          return
        } catch {
          if link.hasClosed { return }
        }
      }
    }
    while !Task.isCancelled, !link.hasClosed {
      do throws(BusError) {
        let handled = try await mark.acquire()
        state.withLock { $0.handled = handled }
        var isFirst = true
        try await StreamReader(link: link, stream: stream, filter: subject).run(
          from: .sequence(handled + 1)
        ) { item throws(BusError) in
          defer { isFirst = false }
          return try await handle(item, isFirst)
        }
      } catch .closed {
        break
      } catch {
        link.report(error)
        try? await Task.sleep(for: .seconds(1))
      }
    }
    beats.cancel()
    if !link.hasClosed { await Task { [mark] in await mark.release() }.value }
    end()
  }

  /// Delivers a message until it is handled.
  ///
  /// - Returns: Whether to go on; not if another process has taken over.
  private func handle(_ item: StreamReader.Item, _ isFirst: Bool) async throws(BusError) -> Bool {
    let subject = item.message.subject
    var mayBeRepeated = isFirst
    var delay = Duration.milliseconds(100)
    do {
      let payload = try coding.decode(item.message.bytes)
      delivering: while true {
        let message = StreamMessage(
          subject: subject, payload: payload, sequence: item.sequence, mayBeRepeated: mayBeRepeated)
        switch await deliver(message) {
        case .handled: break delivering
        case .threw(let reason):
          link.report(.slotThrew(subject: subject, sequence: item.sequence, reason: reason))
          mayBeRepeated = true
        case .notTaken: break
        }
        do { try await Task.sleep(for: delay) } catch { throw BusError.closed }
        delay = min(delay * 2, .seconds(5))
      }
    } catch BusError.closed {
      throw .closed
    } catch {
      link.report(
        .undecodable(
          subject: subject, bytes: [UInt8](item.message.bytes), reason: "\(error)"))
    }
    guard try await mark.advance(to: item.sequence) else {
      link.report(.takenOver(consumer: "\(stream).\(name)"))
      return false
    }
    state.withLock { $0.handled = item.sequence }
    return true
  }

  /// Gives a message to every slot, and waits until they have returned.
  private func deliver(_ message: StreamMessage<Payload>) async -> Receipt.Outcome {
    await withCheckedContinuation { done in
      let receipt = Receipt(done)
      queue.async { [self] in
        guard let emitter = emitter.withLock({ $0 }) else { return }
        emitter.invoke(StreamArrival(message: message, receipt: receipt), isolation: nil)
      }
    }
  }
}
