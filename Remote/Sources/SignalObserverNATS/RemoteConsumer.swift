import Foundation
public import SignalObserver

/// A message of a stream.
public struct StreamMessage<Payload> {
  /// The subject, without wildcards.
  public let subject: String
  /// The payload.
  public let payload: Payload
  /// The headers that the sender has set.
  public let headers: MessageHeaders
  /// The number of the message in its stream.
  ///
  /// It stays the same if the message is delivered again.
  public let sequence: UInt64
  /// Whether a slot of this or another process may have begun to handle the message before.
  ///
  /// It is true for every message that is delivered again. After a process has taken over a consumer
  /// that is not shared, it is also true for the first message, or for as many as the batch of the
  /// process before.
  public let mayBeRepeated: Bool
}

extension StreamMessage: Sendable where Payload: Sendable {}
extension StreamMessage: Equatable where Payload: Equatable {}

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
/// `values` and the operators of time hand their payloads on, and return at once. For work that
/// takes time, use an asynchronous slot, which has returned when the work is done.
///
/// All processes with the name of a *shared* consumer handle messages at the same time, each one
/// message after the other. A message is handled when its slots have returned and the servers have
/// confirmed the acknowledgement. If a process ends or is silent for ``BusOptions/takeover``, others
/// get its message, with ``StreamMessage/mayBeRepeated``. A server that is killed may forget
/// acknowledgements of the last moments, and deliver those messages again.
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

/// A queue that runs a task.
private final class QueueExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// The messages of a consumer, with what instruments bind while a slot handles one.
struct ArrivalSource<Payload: Sendable>: SignalSource {
  let signal: Signal<StreamArrival<Payload>>
  let instruments: Instruments

  func attach(_ slot: SignalSlot<StreamArrival<Payload>>) -> SignalObserver {
    signal.attach(instruments.bind(slot) { $0.message.headers })
  }
}

/// The task of a named consumer.
final class Handling<Payload: Sendable>: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isFinished = false
    /// The last message that this process has handled for a shared consumer.
    var handled: UInt64 = 0
  }

  private let state = Locked(State())
  private let emitter: Locked<Emitter<StreamArrival<Payload>>?>
  let source: ArrivalSource<Payload>
  private let executor: QueueExecutor
  private let link: Link
  private let definition: StreamDefinition
  private let name: Name
  private let subject: SubjectPattern?
  private let coding: Coding<Payload>
  /// The mark of a consumer that is not shared.
  private let mark: ConsumerMark?
  private let writer: MarkWriter?
  private let batch: Int
  private let start: StreamStart
  /// The subject for acknowledgements of the message of a shared consumer that slots handle.
  private let working = Locked<String?>(nil)

  init(
    _ link: Link, _ definition: StreamDefinition, _ name: Name, _ subject: SubjectPattern?,
    _ start: StreamStart, _ coding: Coding<Payload>, _ isShared: Bool, _ batch: Int
  ) {
    self.link = link
    self.start = start
    self.batch = batch
    self.definition = definition
    self.name = name
    self.subject = subject
    self.coding = coding
    let emitter = Emitter<StreamArrival<Payload>>()
    source = ArrivalSource(signal: emitter.signal, instruments: link.instruments)
    self.emitter = Locked(emitter)
    executor = QueueExecutor(
      DispatchQueue(label: "signalobserver.nats.consumer \(definition.name).\(name)"))
    mark =
      isShared
      ? nil
      : ConsumerMark(
        link, stream: definition.name, consumer: name, filter: subject, batch: batch)
    writer = mark.map { MarkWriter($0, batch: batch) }
  }

  var handledSequence: UInt64 { writer?.marked ?? state.withLock { $0.handled } }

  func begin() {
    state.withLock { state in
      guard state.task == nil, !state.isFinished else { return }
      link.consumers.withLock { $0[ObjectIdentifier(self)] = self }
      // The slots run on its queue, and know nothing of who has connected them.
      state.task = Task.detached(executorPreference: executor) { await self.run() }
    }
  }

  func stop() { state.withLock { $0.task }?.cancel() }

  /// Ends the source, because nobody holds it any more.
  func finish() {
    let task = state.withLock { state in
      state.isFinished = true
      return state.task.take()
    }
    if let task { task.cancel() } else { end() }
  }

  private func end() {
    link.consumers.withLock { $0[ObjectIdentifier(self)] = nil }
    let ended = emitter.withLock { $0.take() }
    withExtendedLifetime(ended) {}
  }

  private func run() async {
    let beats = Task { [mark, working, link] in
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: link.options.takeover / 3)
          try await mark?.beat()
          if let subject = working.withLock({ $0 }) { link.tell("+WPI", to: subject) }
        } catch is CancellationError {
          return
        } catch {
          if link.hasClosed { return }
        }
      }
    }
    var start = start
    // The last reported error, so that a lasting one is reported once.
    var reported: BusError?
    func report(_ error: BusError) {
      if case .storeLost(let name) = error {
        link.reportLost(name)
      } else if reported != error {
        link.report(error)
      }
      reported = error
    }
    // The time at which the stream was made from which messages were handled.
    var created: String?
    var receipt = Receipt()
    while !Task.isCancelled, !link.hasClosed {
      do throws(BusError) {
        let info = try await info()
        if let created, created != info.created {
          link.reportLost(definition.name)
          start = .beginning
        }
        created = info.created
        var handled: UInt64 = 0
        var uncertain = 0
        if let mark, let writer {
          (handled, uncertain) = try await mark.acquire(
            of: info, from: start, handled: writer.handled)
          writer.begin(behind: handled)
        }
        if handled > info.state.last_seq {
          report(
            .markAhead(
              consumer: "\(definition.name).\(name)", handled: handled, last: info.state.last_seq))
        } else {
          reported = nil
        }
        var reader = StreamReader(
          link: link, stream: definition.name, filter: subject?.text, created: info.created,
          durable: mark == nil ? (name, start) : nil, ahead: 2 * batch)
        defer { start = reader.durable?.start ?? start }
        try await reader.run(from: handled + 1) { item throws(BusError) in
          defer { uncertain -= 1 }
          return try await handle(
            item, mayBeRepeated: mark == nil ? item.deliveryCount > 1 : uncertain > 0, &receipt)
        }
      } catch .closed {
        break
      } catch {
        if case .storeLost(definition.name) = error {
          start = .beginning
          writer?.forget()
        }
        report(error)
        try? await Task.sleep(for: .seconds(1))
      }
      // If it cannot be written, the messages are handled again, and say so.
      if (try? await writer?.write()) == false {
        link.report(.takenOver(consumer: "\(definition.name).\(name)"))
      }
    }
    beats.cancel()
    if !link.hasClosed {
      await Task {
        _ = try? await writer?.write()
        await mark?.release()
      }.value
    }
    end()
  }

  /// Returns the present state of the stream, and makes the stream again if it is lost.
  private func info() async throws(BusError) -> StreamInfo {
    do {
      return try await link.info(of: definition.name)
    } catch .refused(_, APIError.streamNotFound, _) {
      try await link.makeStream(definition)
      return try await link.info(of: definition.name)
    }
  }

  /// Delivers a message again and again until it is handled, or until slots have thrown too often.
  ///
  /// - Returns: Whether to continue; false if another process has taken over.
  private func handle(
    _ item: StreamReader.Item, mayBeRepeated: Bool, _ receipt: inout Receipt
  ) async throws(BusError) -> Bool {
    let subject = item.message.subject
    let payload: Payload
    do { payload = try coding.decode(item.message.bytes) } catch {
      try await bury(item, "\(error)")
      link.reportUndecodable(item.message.bytes, of: subject, error, link.headers(of: item.message))
      return try await finish(item)
    }
    var mayBeRepeated = mayBeRepeated
    var delay = Duration.milliseconds(100)
    var throwCount = 0
    if mark == nil { working.withLock { $0 = item.message.reply } }
    defer { if mark == nil { working.withLock { $0 = nil } } }
    let headers = link.headers(of: item.message)
    while true {
      let message = StreamMessage(
        subject: subject, payload: payload, headers: headers, sequence: item.sequence,
        mayBeRepeated: mayBeRepeated)
      link.tally.delivered.add(1, item.message.bytes.count)
      let start = link.measuredNow
      var outcome = deliver(message, &receipt)
      if outcome == nil { outcome = await self.outcome(of: &receipt) }
      link.measure(since: start) { .handling(stream: definition.name, consumer: name.text, $0) }
      switch outcome {
      case .handled, nil: return try await finish(item)
      case .threw(let reason):
        link.report(.slotThrew(subject: subject, sequence: item.sequence, reason: reason))
        mayBeRepeated = true
        throwCount += 1
        if throwCount >= link.options.maximumDeliveries {
          try await bury(item, reason)
          link.report(.gaveUp(subject: subject, sequence: item.sequence, reason: reason))
          return try await finish(item)
        }
      case .notTaken: if mark == nil { return await handBack(item) }
      }
      guard try await writer?.write() ?? true else { return false }
      do { try await Task.sleep(for: delay) } catch {
        if mark == nil { _ = await handBack(item) }
        throw .closed
      }
      delay = min(delay * 2, .seconds(5))
    }
  }

  /// Notes that a message is handled.
  ///
  /// - Returns: Whether to continue; false if another process has taken over.
  private func finish(_ item: StreamReader.Item) async throws(BusError) -> Bool {
    if let writer {
      if writer.add(item.sequence, isLast: item.isLast) { return true }
      return try await writer.write(until: item.isLast ? 0 : batch - 1)
    }
    try await acknowledge(item)
    state.withLock { $0.handled = item.sequence }
    return true
  }

  /// Makes the servers remember that a message of a shared consumer is handled.
  private func acknowledge(_ item: StreamReader.Item) async throws(BusError) {
    guard let subject = item.message.reply else { return }
    // After that time, another process gets the message.
    let end = ContinuousClock.now + link.options.takeover
    repeat {
      do throws(BusError) {
        _ = try await link.request(subject, Array("+ACK".utf8))
        return
      } catch .closed {
        throw .closed
      } catch {
        await link.pause()
      }
    } while ContinuousClock.now < end
  }

  /// Lets another process have a message, or this one again after a second.
  ///
  /// - Returns: Whether to continue: always.
  private func handBack(_ item: StreamReader.Item) async -> Bool {
    if let subject = item.message.reply {
      link.tell(#"-NAK {"delay":1000000000}"#, to: subject)
    }
    try? await Task.sleep(for: .seconds(1))
    return true
  }

  /// Stores a message among the dead letters, with the reason, unless it is one of them.
  private func bury(_ item: StreamReader.Item, _ reason: String) async throws(BusError) {
    let letters = link.options.deadLetters
    if definition.name == letters.text { return }
    var headers = link.headers(of: item.message)
    headers.replace(headerText(reason), for: "Dead-Letter-Error")
    headers.replace(item.message.subject, for: "Dead-Letter-Subject")
    headers.replace("\(item.sequence)", for: "Dead-Letter-Sequence")
    try await link.makeStream(StreamDefinition(name: letters.text, subjects: ["\(letters.text).>"]))
    _ = try await link.store(
      [UInt8](item.message.bytes),
      to: "\(letters.text).\(definition.name).\(name.text)",
      id: "\(definition.name).\(name.text).\(item.sequence)", headers: headers.pairs)
  }

  /// Delivers a message to every slot.
  ///
  /// - Returns: The outcome, and a receipt that can be used again, if all slots have returned; nil if
  ///   slots elsewhere still have the message.
  private func deliver(
    _ message: StreamMessage<Payload>, _ receipt: inout Receipt
  ) -> Receipt.Outcome? {
    let emitter = emitter.withLock { $0 }
    emitter?.invoke(StreamArrival(message: message, receipt: receipt), isolation: nil)
    return isKnownUniquelyReferenced(&receipt) ? receipt.takeOutcome() : nil
  }

  /// Waits until all slots have returned.
  private func outcome(of receipt: inout Receipt) async -> Receipt.Outcome {
    await withCheckedContinuation { done in
      receipt.finish(done)
      receipt = Receipt()
    }
  }
}

extension Handling: Consuming {
  var known: BusSnapshot.Consumer {
    .init(
      stream: definition.name, name: name, isShared: mark == nil,
      handledSequence: handledSequence)
  }

  func ask() async throws(BusError) -> BusSnapshot.Consumer {
    var consumer = known
    if let mark {
      let info = try await link.info(of: definition.name)
      let found = try await mark.read(of: info, from: start)
      (consumer.handledSequence, consumer.holder, consumer.isHeldHere) = found
      (consumer.lag, consumer.age) = try await link.rest(
        of: definition.name, from: found.sequence + 1, on: subject)
    } else {
      let found = try await link.state(of: name, in: definition.name)
      consumer.handledSequence = found.ack_floor.stream_seq
      consumer.unacknowledged = found.num_ack_pending
      consumer.lag = found.lag
      if found.lag > 0 {
        consumer.age = try await link.age(
          of: consumer.handledSequence + 1, on: subject, in: definition.name)
      }
    }
    return consumer
  }
}
