/// Resumes one task when a number of jobs are done.
final class Countdown: Sendable {
  private struct State {
    var remaining = 0
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// Adds one more job to wait for.
  func add() {
    state.withLock { $0.remaining += 1 }
  }

  /// Counts one job as done.
  func done() { end { $0.remaining - 1 } }

  /// Waits until every job is done, or the task is cancelled.
  func wait(isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler(
      operation: {
        await withCheckedContinuation(isolation: isolation) { continuation in
          let isDone = state.withLock { state in
            if state.remaining > 0 { state.continuation = continuation }
            return state.remaining <= 0
          }
          if isDone { continuation.resume() }
        }
      },
      onCancel: { end { _ in 0 } }, isolation: isolation)
  }

  private func end(_ count: (State) -> Int) {
    let continuation = state.withLock { state in
      state.remaining = count(state)
      return state.remaining <= 0 ? state.continuation.take() : nil
    }
    continuation?.resume()
  }
}
