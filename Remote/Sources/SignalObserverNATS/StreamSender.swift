import CNats
import Foundation
import Synchronization

/// Stores emissions in a stream, in their order, each once.
///
/// Up to ``windowSize`` messages are on their way at a time. Each has an id, so that the server knows
/// one that it is sent again. After a loss of the connection, a refusal or a silence, it begins again
/// with the oldest message that is not known to be stored, and sends one at a time until the first
/// is stored: no message overtakes an earlier one.
///
/// Everything is guarded by `state`; what is sent is sent on the wire.
final class StreamSender: Sendable {
  private struct Entry {
    let subject: String
    let bytes: [UInt8]
    let id: String?
    var isStored = false
  }

  private struct State {
    var entries: [Entry] = []
    /// How many at the front of `entries` are gone.
    var head = 0
    /// The number of the first entry that is not gone.
    var first: UInt64 = 1
    var nextToSend: UInt64 = 1
    var isProbing = false
    var isExpected = false
    var isWatched = false
    var size = 0
    var lost = 0
    var isEnded = false
    var lastProgress = ContinuousClock.now
    var waiters: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []

    var end: UInt64 { first + UInt64(entries.count - head) }

    func index(of number: UInt64) -> Int { head + Int(number - first) }

    mutating func removeStored() {
      while head < entries.count, entries[head].isStored {
        size -= entries[head].bytes.count + StreamSender.overhead
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

    mutating func takeReadyWaiters() -> [CheckedContinuation<Void, any Error>] {
      let ready = waiters.filter { $0.number < first }.map(\.continuation)
      waiters.removeAll { $0.number < first }
      return ready
    }
  }

  private static let windowSize: UInt64 = 512
  private static let overhead = 128
  private let state = Mutex(State())
  private let link: Link
  private let id = UUID().uuidString
  private let prefix: String

  init(_ link: Link) {
    self.link = link
    prefix = "\(link.inbox).s.\(UUID().uuidString)"
  }

  /// Begins to send; the link holds the sender from then on.
  func open() {
    let inlet = Inlet(
      "\(prefix).*", receive: { [weak self] in self?.receive($0) },
      end: { [weak self] in self?.end() })
    link.add(inlet)
    link.wire.async { [self] in
      link.onConnection(self) { [weak self] in self?.beginAgain() }
    }
  }

  // MARK: - Emissions

  /// Takes a message in, on the thread of the emission.
  func append(_ bytes: [UInt8], to subject: String, id: String?) {
    if bytes.count > link.maxPayload {
      return link.report(
        .tooLarge(subject: subject, size: bytes.count, limit: link.maxPayload))
    }
    let (isFirst, isFirstLost) = state.withLock { state in
      if state.isEnded || state.size + bytes.count + Self.overhead > link.options.streamOutboxLimit
      {
        state.lost += 1
        return (false, state.lost == 1)
      }
      state.size += bytes.count + Self.overhead
      state.entries.append(Entry(subject: subject, bytes: bytes, id: id))
      defer { state.isExpected = true }
      return (!state.isExpected, false)
    }
    if isFirst { link.wire.async { self.pump() } }
    if isFirstLost {
      link.wire.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
        let lost = state.withLock { state in
          defer { state.lost = 0 }
          return state.lost
        }
        link.report(.lost(count: lost, subject: subject, because: .outboxFull))
      }
    }
  }

  /// Waits until everything that was emitted before is stored.
  func flush() async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let result = state.withLock { state -> Result<Void, BusError>? in
        if state.isEnded { return .failure(.closed) }
        if state.end == state.first { return .success(()) }
        state.waiters.append((state.end - 1, done))
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
      guard let next else {
        link.flushSoon()
        return watch()
      }
      let status = next.entry.bytes.withUnsafeBytes {
        link.send(
          $0, to: next.entry.subject, reply: "\(prefix).\(next.number)",
          headers: [("Nats-Msg-Id", next.entry.id ?? "\(id).\(next.number)")])
      }
      switch status {
      case NATS_OK: break
      case NATS_MAX_PAYLOAD:
        give(up: next.number)
        link.report(
          .tooLarge(
            subject: next.entry.subject, size: next.entry.bytes.count, limit: link.maxPayload))
      case NATS_INVALID_SUBJECT, NATS_INVALID_ARG:
        give(up: next.number)
        link.report(
          .refused(subject: next.entry.subject, code: 0, reason: "the subject is not valid"))
      default: return watch()  // The next connection begins again.
      }
    }
  }

  private func beginAgain() {
    state.withLock { state in
      state.nextToSend = state.first
      state.isProbing = true
    }
    pump()
  }

  /// Looks twice a second whether the server is silent, for as long as something is on its way.
  private func watch() {
    let isFirst = state.withLock { state in
      if state.isWatched || state.end == state.first { return false }
      state.isWatched = true
      return true
    }
    guard isFirst else { return }
    link.wire.asyncAfter(deadline: .now() + .milliseconds(500)) { [weak self] in
      guard let self else { return }
      let limit = link.options.timeout
      let isSilent = state.withLock { state in
        state.isWatched = false
        return state.end > state.first && state.lastProgress + limit < .now
      }
      if isSilent { beginAgain() }
      watch()
    }
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
      return give(up: number)
    }
    // Nobody keeps the stream at the moment.
    state.withLock { state in
      state.isProbing = true
      state.lastProgress = .now - link.options.timeout + .milliseconds(200)
    }
  }

  private func hasStored(_ number: UInt64) {
    let (ready, isFirst) = state.withLock { state in
      guard (state.first..<state.end).contains(number) else {
        return ([CheckedContinuation<Void, any Error>](), false)
      }
      state.entries[state.index(of: number)].isStored = true
      state.isProbing = false
      state.lastProgress = .now
      state.removeStored()
      let isFirst = !state.isExpected && state.nextToSend < state.end
      if isFirst { state.isExpected = true }
      return (state.takeReadyWaiters(), isFirst)
    }
    for waiter in ready { waiter.resume() }
    if isFirst { link.wire.async { self.pump() } }
  }

  private func give(up number: UInt64) {
    hasStored(number)
  }

  private func end() {
    let waiters = state.withLock { state in
      state.isEnded = true
      state.entries = []
      state.head = 0
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(throwing: BusError.closed) }
  }
}
