import SignalObserver
import Synchronization

/// What happened, in order, whichever threads it happened on.
final class Trace<Entry: Sendable>: Sendable {
  private struct State {
    var entries: [Entry] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var entries: [Entry] { state.withLock { $0.entries } }

  func add(_ entry: Entry) {
    let ready = state.withLock { state in
      state.entries.append(entry)
      let count = state.entries.count
      let ready = state.waiting.filter { $0.count <= count }
      state.waiting.removeAll { $0.count <= count }
      return ready
    }
    for waiting in ready { waiting.continuation.resume() }
  }

  /// The entries, once there are at least `count`.
  func entries(_ count: Int) async -> [Entry] {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.entries.count >= count { return true }
        state.waiting.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
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
