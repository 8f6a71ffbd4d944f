import Foundation

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

  /// Forgets what is not marked, because its stream is lost.
  func forget() { state.withLock { $0.unmarked.count = 0 } }

  /// Notes that a message is handled, and begins to write the mark, if it is time.
  ///
  /// - Returns: Whether the next message may be delivered; false if ``write(until:)`` comes first.
  func add(_ sequence: UInt64, isLast: Bool) -> Bool {
    let count = state.withLock { state in
      state.unmarked = (state.unmarked.count + 1, sequence)
      return state.unmarked.count
    }
    if isLast || count >= batch { return false }
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
