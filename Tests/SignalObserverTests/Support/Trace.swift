import SignalObserver
import Synchronization
import Testing

/// What happened, in order, whichever threads it happened on.
final class Trace<Entry: Sendable>: Sendable {
  private let state = Mutex<[Entry]>([])

  var entries: [Entry] { state.withLock { $0 } }

  func add(_ entry: Entry) { state.withLock { $0.append(entry) } }

  /// The entries, once there are at least `count`.
  func entries(
    _ count: Int, _ location: SourceLocation = #_sourceLocation
  ) async -> [Entry] {
    await until("\(count) entries, and there are \(entries)", location) { entries.count >= count }
    return entries
  }
}

/// What happened, in words.
typealias Log = Trace<String>

extension SignalSource where Payload: Sendable {
  /// Connects an inline slot that records what it is given.
  func traced() -> (Trace<Payload>, SignalObserver) {
    let trace = Trace<Payload>()
    return (trace, connect(on: .inline) { trace.add($0) })
  }
}
