import Foundation

/// The record of a named consumer that the servers keep: the last message that was handled, and the
/// process that handles messages now.
///
/// The mark takes the place of JetStream's acknowledgements. A process records that it has handled
/// a message with one compare-and-set, which fails if another process has taken over. JetStream's
/// own acknowledgements are not safe enough: the server writes them to its disk some time after it
/// has confirmed them, and forgets them if it is killed.
///
/// A shared consumer uses those, and has a mark of another kind, which nobody owns: no worker has got a
/// message behind it. See ``raise(to:)``.
actor ConsumerMark {
  private struct Record: Codable {
    var sequence: UInt64
    /// Empty if no process handles messages.
    var owner: String
    /// The number of messages behind the mark that may have been handled; 1 if it is missing.
    var batch: Int?
  }

  static let bucket = StreamDefinition.bucket("signal-consumers", history: 1)

  private let link: Link
  private let stream: String
  private let consumer: Name
  private let filter: SubjectPattern?
  /// The number of messages that may be handled behind the mark; nil for a shared consumer.
  private let batch: Int?
  /// The process, and which of its consumers this is.
  private let id = "\(processName)/\(UUID().uuidString)"
  private var subject = ""
  /// The last record that this process has written or found.
  private var record: Record?
  private var revision: UInt64 = 0
  /// The revision that this process has seen last of another process.
  private var known: UInt64?
  private var replicas = 1
  private var isOwner = false
  private var isWriting = false
  private var writers: [CheckedContinuation<Void, Never>] = []

  init(_ link: Link, stream: String, consumer: Name, filter: SubjectPattern?, batch: Int?) {
    self.link = link
    self.batch = batch
    self.stream = stream
    self.consumer = consumer
    self.filter = filter
  }

  /// The key of the mark.
  ///
  /// A stream that was made again, or another selection of its messages, has another key, and
  /// begins at the beginning.
  private func key(_ created: String) -> String {
    let filter = filter.map { Name.escaped($0.text) } ?? "="
    let made = created == "*" ? created : Name.escaped(created)
    let key = "$KV.signal-consumers.\(stream).\(made).\(filter).\(consumer.text)"
    return batch == nil ? "\(key).workers" : key
  }

  /// The key of the mark for a stream, in a bucket that exists.
  ///
  /// In a cluster, the key may name another time at which the servers have said that the stream was
  /// made.
  private func key(of info: StreamInfo) async throws(BusError) -> String {
    let key = key(info.created)
    if info.config.num_replicas == 1 { return key }
    let pattern = self.key("*")
    let times = try await link.info(of: Self.bucket.name, subject: pattern).state.subjects ?? [:]
    let place = pattern.split(separator: ".").firstIndex(of: "*") ?? 0
    let found = times.keys.filter {
      info.wasMade(at: Name.unescaped($0.split(separator: ".")[place]))
    }
    return found.contains(key) ? key : found.min() ?? key
  }

  /// Makes the bucket if there is none, and locks the mark for a stream.
  private func open(_ info: StreamInfo) async throws(BusError) {
    // As many servers keep the mark as keep the stream, so it survives the same losses.
    replicas = info.config.num_replicas
    try await link.makeBucket(Self.bucket, replicas: replicas)
    let key = try await key(of: info)
    // A sign of life may still be under way. It belongs to an earlier time in which this process
    // had the mark.
    await lock()
    isOwner = false
    if key != subject { (subject, record) = (key, nil) }
  }

  /// Waits until this process is the one that handles the messages.
  ///
  /// Without a mark, they begin at `start`. If the servers have lost the mark, the last one that this
  /// process knows of counts.
  ///
  /// - Parameters:
  ///   - info: The state of the stream.
  ///   - start: The message with which the consumer begins.
  ///   - handled: The last message that this process has handled, marked or not.
  /// - Returns: The sequence of the last message that has been handled, 0 for none, and how many
  ///   messages behind it may have been handled, too.
  /// - Throws: ``BusError/unreadableMark(consumer:)``, or an error of the servers.
  func acquire(
    of info: StreamInfo, from start: StreamStart, handled: UInt64
  ) async throws(BusError) -> (sequence: UInt64, uncertain: Int) {
    try await open(info)
    defer { unlock() }
    known = nil
    var since = ContinuousClock.now
    while !Task.isCancelled {
      let found = try await newest()
      var current: Record
      if let found {
        current = try read(found)
      } else if let record {
        current = record
      } else {
        current = Record(sequence: try await link.position(before: start, in: stream), owner: "")
      }
      record = current
      let newest = found?.seq ?? 0
      // If the other process is alive, it writes three times in that time.
      if known != newest { since = .now }
      // If the mark is lost, it must notice that first, and make the bucket again.
      let limit = link.options.takeover + (found == nil ? .seconds(3) : .zero)
      let isSilent = since + limit < .now
      if current.owner.isEmpty || current.owner == id || isSilent {
        let uncertain = max(1, current.batch ?? 1)
        // Nobody else has handled anything since this process has.
        if current.owner == id { current.sequence = max(current.sequence, handled) }
        current.owner = id
        current.batch = max(uncertain, batch ?? 1)
        revision = newest
        isOwner = true
        if try await write(current) {
          return (current.sequence, uncertain)
        }
      } else {
        known = newest
        do { try await Task.sleep(for: link.options.takeover / 10) } catch { throw .closed }
      }
    }
    throw .closed
  }

  /// Returns the last message that workers of a shared consumer may have got; 0 for none.
  func raised(of info: StreamInfo) async throws(BusError) -> UInt64 {
    try await open(info)
    defer { unlock() }
    try await look()
    return record?.sequence ?? 0
  }

  /// Records that workers may get a message, and the next hundred.
  ///
  /// A server that is killed forgets what it has delivered of late, and delivers it again as if for the
  /// first time. It does not forget the mark.
  ///
  /// - Returns: The last message that workers may get.
  func raise(to sequence: UInt64) async throws(BusError) -> UInt64 {
    await lock()
    defer { unlock() }
    while true {
      if let record, record.sequence >= sequence { return record.sequence }
      if try await !write(Record(sequence: sequence + 99, owner: "")) { try await look() }
    }
  }

  /// Takes over what other workers have recorded.
  private func look() async throws(BusError) {
    let found = try await newest()
    revision = found?.seq ?? 0
    if let found { record = try read(found) }
  }

  /// Returns what the mark says at the moment, and which process has it.
  func read(
    of info: StreamInfo, from start: StreamStart
  ) async throws(BusError) -> (sequence: UInt64, holder: String?, isHeldHere: Bool) {
    let key = try await key(of: info)
    guard let found = try await link.newest(of: key, in: Self.bucket.name) else {
      return (try await link.position(before: start, in: stream), nil, false)
    }
    let record = try read(found)
    let holder = record.owner.split(separator: "/").dropLast().joined(separator: "/")
    return (record.sequence, holder.isEmpty ? nil : holder, record.owner == id)
  }

  /// A mark that cannot be read is an error.
  ///
  /// If it counted as a beginning, everything would be handled again.
  private func read(_ found: StoredMessage.Body) throws(BusError) -> Record {
    guard let record = try? JSONDecoder().decode(Record.self, from: Data(found.bytes)),
      record.sequence < Int64.max
    else {
      throw .unreadableMark(consumer: "\(stream).\(consumer)")
    }
    return record
  }

  /// Records that every message up to this one is handled.
  ///
  /// - Returns: Whether it is recorded; false if another process has taken over.
  func advance(to sequence: UInt64) async throws(BusError) -> Bool {
    await lock()
    defer { unlock() }
    guard isOwner else { return false }
    return try await write(Record(sequence: sequence, owner: id, batch: batch))
  }

  /// Records that this process is alive.
  func beat() async throws(BusError) {
    await lock()
    defer { unlock() }
    if isOwner, let record { _ = try await write(record) }
  }

  /// Lets another process take over at once.
  func release() async {
    await lock()
    defer { unlock() }
    guard isOwner, var record else { return }
    record.owner = ""
    _ = try? await write(record)
    isOwner = false
  }

  private func write(_ new: Record) async throws(BusError) -> Bool {
    let bytes = Array(
      "{\"sequence\":\(new.sequence),\"owner\":\"\(new.owner)\",\"batch\":\(new.batch ?? 1)}".utf8)
    while true {
      do throws(BusError) {
        revision = try await link.store(
          bytes, to: subject, in: Self.bucket.name, id: UUID().uuidString, expected: revision)
        break
      } catch .storeLost {
        try await makeAgain()
      } catch .refused(let key, APIError.storeFailed, let reason)
        where reason.contains("no such file")
      {
        // A server that was deleting the bucket has taken the files of the new one, too, and never
        // stores anything in it. No mark is lost with a bucket that has none.
        guard try await link.info(of: Self.bucket.name).state.messages == 0 else {
          throw .refused(subject: key, code: APIError.storeFailed, reason: reason)
        }
        _ = try await link.ask("STREAM.DELETE.\(Self.bucket.name)", [:])
        try await makeAgain()
      } catch .refused(_, APIError.wrongLastSequence, _), .unknownOutcome {
        // Another process has written, or this process has, and the confirmation was lost.
        if let found = try await newest() {
          guard found.bytes == bytes else {
            isOwner = false
            return false
          }
          revision = found.seq
          break
        }
      }
      // The mark is lost, and nobody has written another one.
      revision = 0
    }
    record = new
    return true
  }

  private func newest() async throws(BusError) -> StoredMessage.Body? {
    do throws(BusError) {
      return try await link.newest(of: subject, in: Self.bucket.name)
    } catch .refused(_, APIError.streamNotFound, _) {
      try await makeAgain()
      return nil
    }
  }

  /// Makes the bucket again, because it is lost.
  ///
  /// The process that has the consumer writes its mark again with its next sign of life. The others
  /// wait for that.
  private func makeAgain() async throws(BusError) {
    link.reportLost(Self.bucket.name)
    known = nil
    // The server may still be deleting it, and would delete the new one as well.
    await link.pause(.seconds(1))
    try await link.makeBucket(Self.bucket, replicas: replicas)
  }

  // Writes are made one at a time, in order, because each needs the revision of the one before.

  private func lock() async {
    if !isWriting {
      isWriting = true
      return
    }
    await withCheckedContinuation { writers.append($0) }
  }

  private func unlock() {
    if writers.isEmpty { isWriting = false } else { writers.removeFirst().resume() }
  }
}

/// The name of this process, `HOST/PROCESS`.
private let processName: String = {
  var characters = [CChar](repeating: 0, count: 256)
  // The last character stays the end, however long the name is.
  gethostname(&characters, characters.count - 1)
  let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  let host = String(decoding: bytes, as: UTF8.self)
  // The mark is JSON, in which a host name needs no escapes.
  let plain = host.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
  return "\(plain.isEmpty ? "unknown" : plain)/\(getpid())"
}()

/// Writes the mark of a named consumer behind the messages that its slots have handled.
///
/// At most `batch` messages are handled behind the mark. When half of them are, the mark is written
/// while slots handle the other half. With a batch of one message, the next message waits for the
/// mark.
final class MarkWriter: Sendable {
  private enum End {
    case takenOver
    case failed(BusError)
  }

  private struct State {
    /// The last message before the mark.
    var marked: UInt64 = 0
    /// The number of messages that slots have handled behind the mark, and the last one of them.
    var unmarked = (count: 0, last: UInt64(0))
    var isWriting = false
    /// Why the mark is no longer written.
    var end: End?
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())
  private let mark: ConsumerMark
  private let batch: Int

  init(_ mark: ConsumerMark, batch: Int) {
    self.mark = mark
    self.batch = batch
  }

  /// The last message before the mark.
  var marked: UInt64 { state.withLock { $0.marked } }

  /// The last message that slots have handled.
  var handled: UInt64 { state.withLock { $0.unmarked.last } }

  /// Begins behind a message, while the mark is not being written.
  func begin(behind sequence: UInt64) {
    state.withLock { $0 = State(marked: sequence, unmarked: (0, sequence)) }
  }

  /// Forgets what is handled, because its stream is lost.
  func forget() { state.withLock { $0.unmarked = (0, 0) } }

  /// Notes that a message is handled, and begins to write the mark, if it is time.
  ///
  /// - Returns: Whether the next message may be delivered; false if ``write(until:)`` comes first.
  func add(_ sequence: UInt64) -> Bool {
    let count = state.withLock { state in
      state.unmarked = (state.unmarked.count + 1, sequence)
      return state.unmarked.count
    }
    if count >= batch { return false }
    if count >= (batch + 1) / 2, begins() {
      Task(executorPreference: QueueExecutor.marks) { await self.writeOnce() }
    }
    return true
  }

  /// Writes the mark until at most so many handled messages are behind it.
  ///
  /// - Returns: Whether to continue; false if another process has taken over.
  @discardableResult
  func write(until limit: Int = 0) async throws(BusError) -> Bool {
    while state.withLock({ $0.isWriting || $0.unmarked.count > limit && $0.end == nil }) {
      if begins() {
        await writeOnce()
      } else {
        await withCheckedContinuation { done in
          let isOver = state.withLock { state in
            if state.isWriting { state.waiting = done }
            return !state.isWriting
          }
          if isOver { done.resume() }
        }
      }
    }
    switch state.withLock({ $0.end }) {
    case nil: return true
    case .takenOver: return false
    case .failed(let error): throw error
    }
  }

  private func begins() -> Bool {
    state.withLock { state in
      if state.isWriting || state.end != nil { return false }
      state.isWriting = true
      return true
    }
  }

  private func writeOnce() async {
    let target = state.withLock { $0.unmarked }
    var end: End?
    do throws(BusError) {
      if try await !mark.advance(to: target.last) { end = .takenOver }
    } catch {
      end = .failed(error)
    }
    let waiting = state.withLock { state in
      state.isWriting = false
      state.end = end
      if end == nil {
        state.marked = target.last
        state.unmarked.count = max(0, state.unmarked.count - target.count)
      }
      return state.waiting.take()
    }
    waiting?.resume()
  }
}
