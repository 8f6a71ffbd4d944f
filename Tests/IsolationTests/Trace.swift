import Synchronization
import Testing

/// What slots did, in order, from whatever thread.
nonisolated final class Trace: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func note(_ line: some Any) {
    state.withLock { $0.append("\(line)") }
  }

  /// Returns the lines when there are `count`.
  @discardableResult
  func lines(
    _ count: Int, _ location: SourceLocation = #_sourceLocation
  ) async -> [String] {
    await until("\(count) lines, and there are \(lines)", location) { lines.count >= count }
    return lines
  }
}
