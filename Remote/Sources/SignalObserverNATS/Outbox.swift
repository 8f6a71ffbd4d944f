import Foundation
import Synchronization

/// A subject as libnats wants it.
///
/// `@unchecked Sendable`: the characters do not change.
@usableFromInline
final class Subject: @unchecked Sendable {
  @usableFromInline let text: String
  let characters: UnsafeMutablePointer<CChar>

  @usableFromInline
  init(_ text: String) {
    self.text = text
    // There is memory for a subject, or there is none for anything.
    characters = strdup(text)
  }

  deinit { free(characters) }
}

/// The messages over core subjects that wait to be sent, in the order of emission.
///
/// Their bytes lie behind each other in one block, so that a flood of small messages allocates
/// nothing. The wire takes all of it at once, and gives the emptied block back.
final class Outbox: Sendable {
  struct Batch {
    var bytes: [UInt8] = []
    var entries: [(subject: Subject, end: Int)] = []

    mutating func clear() {
      bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
      entries.removeAll(keepingCapacity: entries.capacity < 1 << 16)
    }
  }

  private struct State {
    var batch = Batch()
    /// What the wire has taken and not sent yet counts, too.
    var size = 0
    var lost = 0
    var isOpen = true
    /// Whether the wire will come for what there is.
    var isExpected = false
  }

  enum Outcome {
    case queued
    /// The wire has to be told.
    case first
    /// The first to be lost since losses were last counted.
    case firstLost
    case lost
  }

  private let state = Mutex(State())
  private let limit: Int
  /// What a message costs beside its bytes.
  private static let overhead = 24

  init(_ limit: Int) {
    self.limit = limit
  }

  func append(_ bytes: [UInt8], to subject: Subject) -> Outcome {
    state.withLock { state in
      guard state.isOpen, state.size + bytes.count + Self.overhead <= limit else {
        state.lost += 1
        return state.lost == 1 ? .firstLost : .lost
      }
      state.size += bytes.count + Self.overhead
      state.batch.bytes.append(contentsOf: bytes)
      state.batch.entries.append((subject, state.batch.bytes.count))
      if state.isExpected { return .queued }
      state.isExpected = true
      return .first
    }
  }

  /// Exchanges `batch`, which is empty, for what there is.
  ///
  /// - Returns: Whether there was something; if not, the next message tells the wire.
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

  /// Makes room for what has been sent.
  func sent(_ bytes: Int, messages: Int) {
    state.withLock { $0.size -= bytes + messages * Self.overhead }
  }

  func countLost(_ count: Int) {
    state.withLock { $0.lost += count }
  }

  func takeLost() -> Int {
    state.withLock { state in
      defer { state.lost = 0 }
      return state.lost
    }
  }

  /// Takes messages in, or loses them.
  func setOpen(_ isOpen: Bool) {
    state.withLock { $0.isOpen = isOpen }
  }
}
