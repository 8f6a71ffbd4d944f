import Foundation

/// How far a named consumer has come, and which process it is in: a record that the servers keep.
///
/// It is the acknowledgement: writing that a message is handled is one compare-and-set, which fails if
/// another process has taken over. JetStream's own acknowledgements would not do, because the server
/// writes them to its disk some time after it has confirmed them, and forgets them if it is killed.
actor ConsumerMark {
  private struct Record: Codable {
    var sequence: UInt64
    /// Empty if nobody is.
    var owner: String
  }

  static let bucket = "signal-consumers"

  private let link: Link
  private let subject: String
  private let id = UUID().uuidString
  private var record = Record(sequence: 0, owner: "")
  private var revision: UInt64 = 0
  private var isOwner = false
  private var isWriting = false
  private var writers: [CheckedContinuation<Void, Never>] = []

  init(_ link: Link, stream: String, consumer: String) {
    self.link = link
    subject = "$KV.\(Self.bucket).\(stream).\(consumer)"
  }

  /// Waits until this process is the one that the consumer is in, and returns the last message that
  /// has been handled; 0 for none.
  func acquire() async throws(BusError) -> UInt64 {
    try await link.makeBucket(Self.bucket, history: 1)
    var known: UInt64?
    var since = ContinuousClock.now
    while !Task.isCancelled {
      let found = try await link.newest(of: subject, in: "KV_\(Self.bucket)")
      let current =
        found.flatMap { try? JSONDecoder().decode(Record.self, from: Data($0.bytes)) }
        ?? Record(sequence: 0, owner: "")
      let newest = found?.seq ?? 0
      // The other process writes in every third of the time, if it is alive.
      if known != newest { since = .now }
      let isSilent = since + link.options.takeover < .now
      if current.owner.isEmpty || current.owner == id || isSilent {
        record = Record(sequence: current.sequence, owner: id)
        revision = newest
        isOwner = true
        if try await write(current.sequence) { return record.sequence }
      } else {
        known = newest
        do { try await Task.sleep(for: link.options.takeover / 10) } catch { throw .closed }
      }
    }
    throw .closed
  }

  /// Writes that everything up to a message is handled.
  ///
  /// - Returns: Whether it is; false if another process has taken over.
  func advance(to sequence: UInt64) async throws(BusError) -> Bool {
    await lock()
    defer { unlock() }
    guard isOwner else { return false }
    return try await write(sequence)
  }

  /// Says that this process is alive.
  func beat() async throws(BusError) {
    await lock()
    defer { unlock() }
    if isOwner { _ = try await write(record.sequence) }
  }

  /// Lets another process take over at once.
  func release() async {
    await lock()
    defer { unlock() }
    guard isOwner else { return }
    record.owner = ""
    _ = try? await write(record.sequence)
    isOwner = false
  }

  private func write(_ sequence: UInt64) async throws(BusError) -> Bool {
    let new = Record(sequence: sequence, owner: record.owner)
    let bytes = Array("{\"sequence\":\(new.sequence),\"owner\":\"\(new.owner)\"}".utf8)
    if let new = try await link.compareAndSet(bytes, to: subject, expected: revision) {
      revision = new
    } else {
      // Somebody else, or this very record, whose confirmation was lost.
      let found = try await link.newest(of: subject, in: "KV_\(Self.bucket)")
      guard let found, found.bytes == bytes else {
        isOwner = false
        return false
      }
      revision = found.seq
    }
    record = new
    return true
  }

  // One write at a time, in order: each needs the revision of the one before.

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
