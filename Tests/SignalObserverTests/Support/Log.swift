import Synchronization

/// What happened, in order, whichever threads it happened on.
final class Log: Sendable {
  private struct State {
    var entries: [String] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var entries: [String] { state.withLock { $0.entries } }

  func add(_ entry: String) {
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
  func entries(_ count: Int) async -> [String] {
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
