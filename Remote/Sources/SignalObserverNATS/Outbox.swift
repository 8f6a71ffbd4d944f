/// The messages over core subjects that wait to be sent, in the order of emission.
///
/// Their bytes are stored one behind the other in one block, so a flood of small messages allocates
/// nothing. The wire takes the whole block at once, and gives it back when it is empty.
final class Outbox: Sendable {
  struct Batch {
    var bytes: [UInt8] = []
    var entries: [(subject: SubjectText, end: Int)] = []
    /// The entries with headers, in order, and how many of their first bytes are headers.
    var headers: [(entry: Int, size: Int)] = []

    /// The number of bytes of the headers of an entry.
    func headerSize(of entry: Int) -> Int {
      if headers.isEmpty { return 0 }
      var (low, high) = (0, headers.count)
      while low < high {
        let middle = (low + high) / 2
        if headers[middle].entry < entry { low = middle + 1 } else { high = middle }
      }
      return low < headers.count && headers[low].entry == entry ? headers[low].size : 0
    }

    mutating func clear() {
      headers.removeAll(keepingCapacity: headers.capacity < 1 << 16)
      bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
      entries.removeAll(keepingCapacity: entries.capacity < 1 << 16)
    }
  }

  private struct State {
    var batch = Batch()
    /// The size in bytes, including what the wire has taken and not sent yet.
    var size = 0
    var lost = 0
    var isOpen = true
    /// Whether the wire is going to take the messages.
    var isExpected = false
  }

  enum Outcome {
    case queued
    /// The message is the first one, so the wire has to be told.
    case first
    /// The message is lost, as the first one since losses were last counted.
    case firstLost
    case lost
  }

  private let state = Locked(State())
  private let limit: Int
  /// The size of a message apart from its bytes.
  private static let overhead = 24

  init(_ limit: Int) {
    self.limit = limit
  }

  /// Adds a message with the characters of its headers.
  func append(_ bytes: [UInt8], to subject: SubjectText, _ headers: [UInt8]) -> Outcome {
    state.withLock { state in
      let size = headers.count + bytes.count + Self.overhead
      guard state.isOpen, state.size + size <= limit else {
        state.lost += 1
        return state.lost == 1 ? .firstLost : .lost
      }
      state.size += size
      if !headers.isEmpty {
        state.batch.headers.append((state.batch.entries.count, headers.count))
        state.batch.bytes.append(contentsOf: headers)
      }
      state.batch.bytes.append(contentsOf: bytes)
      state.batch.entries.append((subject, state.batch.bytes.count))
      if state.isExpected { return .queued }
      state.isExpected = true
      return .first
    }
  }

  /// Exchanges `batch`, which is empty, for the messages of the outbox.
  ///
  /// - Returns: Whether there were messages. If not, the next message tells the wire.
  func take(into batch: inout Batch) -> Bool {
    state.withLock { state in
      if state.batch.entries.isEmpty {
        state.isExpected = false
        return false
      }
      swap(&batch, &state.batch)
      return true
    }
  }

  /// Frees the room of messages that have been sent.
  func sent(_ bytes: Int, messages: Int) {
    state.withLock { $0.size -= bytes + messages * Self.overhead }
  }

  /// The size of the messages that are not sent.
  var size: Int { state.withLock { $0.size } }

  /// The number of messages that the wire has not taken.
  var count: Int { state.withLock { $0.batch.entries.count } }

  func countLost(_ count: Int) {
    state.withLock { $0.lost += count }
  }

  func takeLost() -> Int {
    state.withLock { state in
      defer { state.lost = 0 }
      return state.lost
    }
  }

  /// Sets whether the outbox keeps messages, or loses them.
  func setOpen(_ isOpen: Bool) {
    state.withLock { $0.isOpen = isOpen }
  }
}
