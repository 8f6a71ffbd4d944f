import Synchronization
import Testing

/// What slots did, in order, from whatever thread.
nonisolated final class Trace: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func note(_ line: some Any) { state.withLock { $0.append("\(line)") } }

  /// Returns when there are `count` lines.
  func count(_ count: Int) async {
    await until("\(count) lines") { lines.count >= count }
  }
}
