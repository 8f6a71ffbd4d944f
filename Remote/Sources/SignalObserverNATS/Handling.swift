import Dispatch
import Foundation
import SignalObserver

/// A queue that runs a task.
final class QueueExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension QueueExecutor {
  /// Runs what keeps a mark, and no slots.
  ///
  /// Slots may block every thread of Swift's pool.
  static let marks = QueueExecutor(DispatchQueue(label: "signalobserver.nats.marks"))
}

/// The task of a named consumer.
final class Handling<Payload: Sendable>: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isFinished = false
    /// The time at which the stream was made from which messages are handled.
    var created = ""
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
  /// The mark of a shared consumer.
  private let sharedMark: ConsumerMark?
  private let batch: Int
  private let start: StreamStart
  /// The subject for acknowledgements of the message of a shared consumer that slots handle.
  private let working = Locked<String?>(nil)

  init(
    _ link: Link, _ definition: StreamDefinition, _ name: Name, _ subject: SubjectPattern?,
    _ start: StreamStart, _ coding: Coding<Payload>, _ isShared: Bool, _ batch: Int
  ) {
    // The reader has twice as many messages on their way.
    let batch = min(max(1, batch), 1 << 20)
    self.link = link
    self.start = start
    self.batch = batch
    self.definition = definition
    self.name = name
    self.subject = subject
    self.coding = coding
    let emitter = Emitter<StreamArrival<Payload>>()
    source = ArrivalSource(signal: emitter.signal, link: link)
    self.emitter = Locked(emitter)
    executor = QueueExecutor(
      DispatchQueue(label: "signalobserver.nats.consumer \(definition.name).\(name)"))
    let mark = ConsumerMark(
      link, stream: definition.name, consumer: name, filter: subject, batch: isShared ? nil : batch)
    (self.mark, sharedMark) = isShared ? (nil, mark) : (mark, nil)
    writer = isShared ? nil : MarkWriter(mark, batch: batch)
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
    let beats = Task(executorPreference: QueueExecutor.marks) { [mark, working, link] in
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
        if let known = created, !info.wasMade(at: known) {
          link.reportLost(definition.name)
          start = .beginning
          created = nil
          writer?.forget()
        }
        let made = created ?? info.created
        created = made
        state.withLock { $0.created = made }
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
          link: link, stream: definition.name, filter: subject?.text, created: made,
          durable: mark == nil ? (name, start) : nil, ahead: 2 * batch)
        defer { start = reader.durable?.start ?? start }
        /// The last message that workers may get, and the last one that some may have had before the
        /// server was killed.
        var (raised, suspect): (UInt64, UInt64) = (0, 0)
        try await reader.run(from: handled + 1) { item throws(BusError) in
          defer { uncertain -= 1 }
          if let sharedMark {
            if item.isFirst {
              suspect = try await sharedMark.raised(of: info)
              raised = suspect
            }
            if item.sequence > raised { raised = try await sharedMark.raise(to: item.sequence) }
          }
          let mayBeRepeated =
            sharedMark == nil
            ? uncertain > 0 : item.deliveryCount > 1 || item.sequence <= suspect
          return try await handle(item, mayBeRepeated: mayBeRepeated, &receipt)
        } rest: { () throws(BusError) in
          try await writer?.write() ?? true
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
      await Task(executorPreference: QueueExecutor.marks) {
        _ = try? await self.writer?.write()
        await self.mark?.release()
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
      case .notTaken:
        guard let mark, let writer else { return await handBack(item) }
        // Another process may have a slot for it.
        if try await writer.write() { await mark.release() }
        try? await Task.sleep(for: .seconds(1))
        return false
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
      if writer.add(item.sequence) { return true }
      return try await writer.write(until: batch - 1)
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
  ///
  /// If the letter is too large, its reason is shortened, and then headers go. If it still is, that is
  /// reported.
  private func bury(_ item: StreamReader.Item, _ reason: String) async throws(BusError) {
    let letters = link.options.deadLetters
    if definition.name == letters.text { return }
    let all = link.headers(of: item.message)
    func headers(_ reason: Substring, _ others: MessageHeaders) -> [(String, String)] {
      var headers = others
      headers.replace(String(reason), for: "Dead-Letter-Error")
      headers.replace(item.message.subject, for: "Dead-Letter-Subject")
      headers.replace("\(item.sequence)", for: "Dead-Letter-Sequence")
      return headers.pairs
    }
    let (text, none) = (headerText(reason), MessageHeaders())
    let forms = [
      headers(text[...], all), headers(text.prefix(64), all), headers(text.prefix(64), none), [],
    ]
    // Another stream of that name, and other messages of this one, have letters of their own.
    let created = state.withLock { $0.created }
    let id = "\(definition.name).\(created).\(subject?.text ?? "").\(name).\(item.sequence)"
    try await link.makeStream(StreamDefinition(name: letters.text, subjects: ["\(letters.text).>"]))
    var failure: BusError?
    for form in forms {
      do throws(BusError) {
        _ = try await link.store(
          [UInt8](item.message.bytes), to: "\(letters.text).\(definition.name).\(name.text)",
          id: form.isEmpty ? nil : id, headers: form)
        return
      } catch {
        guard error.isTooLarge else { throw error }
        failure = error
      }
    }
    guard let failure else { return }
    link.report(
      .gaveUp(
        subject: item.message.subject, sequence: item.sequence,
        reason: "there is no dead letter, because \(failure)"))
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
