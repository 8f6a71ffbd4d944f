import CNats
import Foundation

/// Stores emissions in a stream, in order, each once.
///
/// Up to ``windowSize`` messages are on their way at a time. Each has an id, by which the server
/// recognises a message that is sent again. If the connection is lost, or the server refuses a
/// message or is silent, the sender begins again with the oldest message that may not be stored. It
/// then sends one message at a time until one is stored, so that no message overtakes an earlier
/// one.
///
/// `state` guards everything. Messages are sent on the wire queue. All that the class does is in
/// this file, because its state is private.
final class StreamSender: Sendable {
  private struct Entry {
    let subject: String
    let bytes: [UInt8]
    let id: String?
    var headers = MessageHeaders()
    var isStored = false

    var size: Int { bytes.count + headers.size + StreamSender.overhead }
  }

  private typealias Done = CheckedContinuation<Void, any Error>

  /// A task that waits until a message is stored.
  private struct Waiter {
    let number: UInt64
    let since = ContinuousClock.now
    let done: Done
  }

  /// A task that waits for a place for its message.
  private struct Emission {
    let key: UInt64
    let entry: Entry
    let since = ContinuousClock.now
    let done: Done
  }

  private struct State {
    var entries: [Entry] = []
    /// The number of entries at the front of `entries` that have been removed.
    var head = 0
    /// The number of the first entry that has not been removed.
    var first: UInt64 = 1
    var nextToSend: UInt64 = 1
    var isProbing = false
    var isExpected = false
    /// Whether the sender has stopped taking emissions.
    var isStopped = false
    /// Whether a stall has been reported.
    var isStalled = false
    var isLooking = false
    var size = 0
    var lost = 0
    var isEnded = false
    /// The message whose time is measured, and when it was emitted.
    var measured: (number: UInt64, since: ContinuousClock.Instant)?
    var lastProgress = ContinuousClock.now
    var lastStored = ContinuousClock.now
    var waiters: [Waiter] = []
    /// The emissions that wait, in the order in which they began to.
    var emissions: [Emission] = []
    var nextKey: UInt64 = 0

    var end: UInt64 { first + UInt64(entries.count - head) }

    func index(of number: UInt64) -> Int { head + Int(number - first) }

    mutating func removeStored() {
      while head < entries.count, entries[head].isStored {
        size -= entries[head].size
        entries[head] = Entry(subject: "", bytes: [], id: nil, isStored: true)
        head += 1
        first += 1
      }
      if head > 1024, head > entries.count / 2 {
        entries.removeFirst(head)
        head = 0
      }
      nextToSend = max(nextToSend, first)
    }

    /// Adds a message, and returns whether the wire has to be told.
    mutating func add(_ entry: Entry, at now: ContinuousClock.Instant?) -> Bool {
      size += entry.size
      if end == first { lastStored = .now }
      if measured == nil, let now { measured = (end, now) }
      entries.append(entry)
      defer { isExpected = true }
      return !isExpected
    }

    /// Gives places to the emissions that wait for them, and returns their tasks and those that
    /// waited for messages that are stored.
    mutating func takeReady(_ limit: Int) -> [Done] {
      var admitted = 0
      while admitted < emissions.count, size == 0 || size + emissions[admitted].entry.size <= limit
      {
        size += emissions[admitted].entry.size
        entries.append(emissions[admitted].entry)
        admitted += 1
      }
      let ready = emissions.prefix(admitted).map(\.done)
      emissions.removeFirst(admitted)
      let stored = first
      return ready + takeWaiters { $0.number < stored }
    }

    mutating func takeWaiters(where isReady: (Waiter) -> Bool) -> [Done] {
      let ready = waiters.filter(isReady).map(\.done)
      waiters.removeAll(where: isReady)
      return ready
    }

    mutating func takeEmissions(where isReady: (Emission) -> Bool) -> [Done] {
      let ready = emissions.filter(isReady).map(\.done)
      emissions.removeAll(where: isReady)
      return ready
    }
  }

  private static let windowSize: UInt64 = 512
  private static let overhead = 128
  private let state = Locked(State())
  /// The link also holds the sender, and releases it when it is closed.
  private let link: Link
  private let definition: StreamDefinition
  private let id = UUID().uuidString
  private var key: String { "s\(id)" }

  init(_ link: Link, _ definition: StreamDefinition) {
    self.link = link
    self.definition = definition
  }

  /// Starts to send.
  func open() {
    link.inbox.open(key) { [weak self] message in
      if let self { receive(message) } else { message.destroy() }
    }
    link.wire.async { [self, link] in
      link.onConnection(self) { [weak self] in self?.beginAgain() }
      link.onLook(self) { [weak self] in self?.look($0) }
    }
  }

  /// The number of messages that may not be stored.
  var count: Int { state.withLock { Int($0.end - $0.first) } }

  /// The messages that may not be stored.
  var waiting: BusSnapshot.Waiting {
    state.withLock { .init(messages: Int($0.end - $0.first), bytes: $0.size) }
  }

  /// Stops taking emissions.
  func stop() {
    let waiting = state.withLock { state in
      state.isStopped = true
      return state.takeEmissions { _ in true }
    }
    for done in waiting { done.resume(throwing: BusError.closed) }
  }

  // MARK: - Emissions

  /// A message with what instruments add to its headers, if the servers accept one of its size.
  private func makeEntry(
    _ bytes: [UInt8], to subject: String, _ id: String?, _ headers: MessageHeaders
  ) throws(BusError) -> Entry {
    if let id { try checkHeaderValue(id) }
    var headers = headers
    link.instruments.inject(into: &headers, link.report)
    let entry = Entry(subject: subject, bytes: bytes, id: id, headers: headers)
    try link.check(bytes, to: subject, pairs(of: entry, .max))
    return entry
  }

  /// Adds a message, on the emitting thread.
  func append(_ bytes: [UInt8], to subject: String, id: String?, _ headers: MessageHeaders) {
    let entry: Entry
    do throws(BusError) {
      entry = try makeEntry(bytes, to: subject, id, headers)
    } catch {
      return link.report(error)
    }
    let (isFirst, isFirstLost) = state.withLock { state in
      if state.isEnded || state.isStopped { return (false, false) }
      if state.size + entry.size > link.options.streamOutboxLimit {
        state.lost += 1
        return (false, state.lost == 1)
      }
      return (state.add(entry, at: link.measuredNow), false)
    }
    if isFirst { link.wire.async { self.pump() } }
    if isFirstLost {
      link.wire.asyncAfter(deadline: .now() + .milliseconds(50)) { [self, link] in
        let lost = state.withLock { state in
          defer { state.lost = 0 }
          return state.lost
        }
        link.report(.lost(count: lost, subject: subject, because: .outboxFull))
      }
    }
  }

  /// Adds a message as soon as there is a place for it.
  ///
  /// Waiting messages get places in the order of the calls. They get half of the room, so that sources
  /// that cannot wait have the other half.
  func emit(
    _ bytes: [UInt8], to subject: String, id: String?, _ headers: MessageHeaders
  ) async throws {
    let entry = try makeEntry(bytes, to: subject, id, headers)
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (done: Done) in
        let (result, isFirst) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
          if state.isEnded || state.isStopped { return (.failure(BusError.closed), false) }
          if state.emissions.isEmpty, state.size == 0 || state.size + entry.size <= room {
            return (.success(()), state.add(entry, at: link.measuredNow))
          }
          // The handler has run before, and has found nothing.
          if Task.isCancelled { return (.failure(CancellationError()), false) }
          state.emissions.append(Emission(key: key, entry: entry, done: done))
          return (nil, false)
        }
        if isFirst { link.wire.async { self.pump() } }
        if let result { done.resume(with: result) }
      }
    } onCancel: {
      let waiting = state.withLock { $0.takeEmissions { $0.key == key } }
      for done in waiting { done.resume(throwing: CancellationError()) }
    }
  }

  /// The room for emissions that can wait.
  private var room: Int { link.options.streamOutboxLimit / 2 }

  /// Waits until every message that was emitted before is stored.
  func flush() async throws {
    try await withCheckedThrowingContinuation { (done: Done) in
      let result = state.withLock { state -> Result<Void, BusError>? in
        if state.isEnded { return .failure(.closed) }
        if state.end == state.first { return .success(()) }
        state.waiters.append(Waiter(number: state.end - 1, done: done))
        return nil
      }
      switch result {
      case .success: done.resume()
      case .failure(let error): done.resume(throwing: error)
      case nil: break
      }
    }
  }

  // MARK: - On the wire

  private func pump() {
    while true {
      let next = state.withLock { state -> (number: UInt64, entry: Entry)? in
        state.isExpected = false
        while state.nextToSend < state.end,
          state.entries[state.index(of: state.nextToSend)].isStored
        {
          state.nextToSend += 1
        }
        let window = state.isProbing ? 1 : Self.windowSize
        guard state.nextToSend < min(state.end, state.first + window) else { return nil }
        let number = state.nextToSend
        if number == state.first { state.lastProgress = .now }
        state.nextToSend += 1
        return (number, state.entries[state.index(of: number)])
      }
      guard let next else { return link.flushSoon() }
      let status = next.entry.bytes.withUnsafeBytes {
        link.send(
          $0, to: next.entry.subject, reply: "\(link.inbox.prefix).\(key).\(next.number)",
          headers: pairs(of: next.entry, next.number))
      }
      switch status {
      case NATS_OK: break
      case NATS_MAX_PAYLOAD:
        finish(next.number)
        link.report(
          .tooLarge(
            subject: next.entry.subject, size: next.entry.bytes.count, limit: link.maxPayload))
      case NATS_INVALID_SUBJECT, NATS_INVALID_ARG:
        finish(next.number)
        link.report(
          .refused(subject: next.entry.subject, code: 0, reason: "the subject is not valid"))
      default: return  // The next connection begins again.
      }
    }
  }

  /// The headers of a message, with the id by which the servers know it.
  private func pairs(of entry: Entry, _ number: UInt64) -> [(String, String)] {
    let id = [("Nats-Msg-Id", entry.id ?? "\(id).\(number)")]
    return entry.headers.isEmpty ? id : id + entry.headers.pairs
  }

  private func beginAgain() {
    state.withLock { state in
      state.nextToSend = state.first
      state.isProbing = true
    }
    pump()
  }

  /// At regular intervals: sends again if the server is silent, and reports a long silence.
  private func look(_ now: ContinuousClock.Instant) {
    let patience = link.options.patience
    let (isSilent, isStalled, late) = state.withLock { state -> (Bool, Bool, [Done]) in
      guard state.end > state.first else { return (false, false, []) }
      let isLate = state.lastStored + patience < now
      defer { if isLate { state.isStalled = true } }
      let late =
        isLate
        ? state.takeWaiters { $0.since + patience < now }
          + state.takeEmissions { $0.since + patience < now } : []
      return (
        state.lastProgress + link.options.timeout < now, isLate && !state.isStalled, late
      )
    }
    if isSilent {
      beginAgain()
      lookForStream(reports: false)
    }
    let error = BusError.unavailable(
      subject: definition.name, reason: "\(count) messages wait to be stored in the stream")
    if isStalled { link.report(error) }
    for done in late { done.resume(throwing: error) }
  }

  /// Makes the stream again if it is lost, and refuses what it does not keep.
  ///
  /// If somebody else listens to such a subject, the servers do not say that no stream keeps it.
  private func lookForStream(reports: Bool) {
    let isFirst = state.withLock { state in
      defer { state.isLooking = true }
      return !state.isLooking
    }
    guard isFirst else { return }
    Task { [link, definition] in
      do throws(BusError) {
        let kept = try await link.info(of: definition.name).config.subjects ?? []
        refuse("the stream \(definition.name) does not keep it") { subject in
          !kept.contains { covers($0, subject) }
        }
      } catch .refused(_, APIError.streamNotFound, _) {
        link.reportLost(definition.name)
        do throws(BusError) { try await link.makeStream(definition) } catch { link.report(error) }
      } catch {
        if reports { link.report(error) }
      }
      self.state.withLock { $0.isLooking = false }
    }
  }

  /// Drops the messages that were sent to subjects on which they cannot be stored.
  ///
  /// - Returns: Whether there were some.
  @discardableResult
  func refuse(_ reason: String, where isRefused: (String) -> Bool) -> Bool {
    let sent = state.withLock { state in
      (state.first..<min(state.nextToSend, state.end)).map { number in
        (number, state.entries[state.index(of: number)])
      }
    }
    var counts: [String: Int] = [:]
    for (number, entry) in sent where !entry.isStored && isRefused(entry.subject) {
      finish(number)
      counts[entry.subject, default: 0] += 1
    }
    for (subject, count) in counts {
      link.report(.refused(subject: subject, code: 0, reason: "\(reason); lost: \(count)"))
    }
    return !counts.isEmpty
  }

  // MARK: - Answers, on libnats' thread

  private func receive(_ message: RawMessage) {
    defer { message.destroy() }
    guard let number = message.lastToken else { return }
    let bytes = [UInt8](message.bytes)
    if sequence(in: bytes) != nil { return hasStored(number) }
    let error = try? JSONDecoder().decode(Stored.self, from: Data(bytes)).error
    if let error, !error.isTransient {
      let subject = state.withLock { state in
        (state.first..<state.end).contains(number)
          ? state.entries[state.index(of: number)].subject : nil
      }
      guard let subject else { return }
      link.report(
        .refused(
          subject: subject, code: error.err_code ?? error.code, reason: error.description ?? ""))
      return finish(number)
    }
    // No server keeps the stream at the moment.
    state.withLock { state in
      state.isProbing = true
      state.lastProgress = .now - link.options.timeout + .milliseconds(200)
    }
    if message.status != nil { lookForStream(reports: true) }
  }

  private func hasStored(_ number: UInt64) {
    if !link.instruments.measures.isEmpty { measure(number) }
    finish(number)
  }

  /// Measures a message that is stored.
  private func measure(_ number: UInt64) {
    let (size, since) = state.withLock { state -> (Int?, ContinuousClock.Instant?) in
      guard (state.first..<state.end).contains(number) else { return (nil, nil) }
      let entry = state.entries[state.index(of: number)]
      guard !entry.isStored else { return (nil, nil) }
      return (
        entry.bytes.count + entry.headers.size,
        state.measured?.number == number ? state.measured?.since : nil
      )
    }
    if let size { link.tally.stored.add(1, size) }
    link.measure(since: since) { .storing(stream: definition.name, $0) }
  }

  /// Removes a message, which is stored, or never will be.
  private func finish(_ number: UInt64) {
    let (ready, isFirst) = state.withLock { state in
      guard (state.first..<state.end).contains(number) else { return ([Done](), false) }
      state.entries[state.index(of: number)].isStored = true
      if state.measured?.number == number { state.measured = nil }
      state.isProbing = false
      state.lastProgress = .now
      state.lastStored = .now
      state.isStalled = false
      state.removeStored()
      let ready = state.takeReady(room)
      let isFirst = !state.isExpected && state.nextToSend < state.end
      if isFirst { state.isExpected = true }
      return (ready, isFirst)
    }
    for done in ready { done.resume() }
    if isFirst { link.wire.async { self.pump() } }
  }

  func end() {
    let waiting = state.withLock { state in
      state.isEnded = true
      state.entries = []
      state.head = 0
      return state.takeWaiters { _ in true } + state.takeEmissions { _ in true }
    }
    for done in waiting { done.resume(throwing: BusError.closed) }
  }
}
