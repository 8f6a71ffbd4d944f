import Synchronization

/// A result that one task waits for; the first one counts.
final class OneShot<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, any Error>?
    var continuation: CheckedContinuation<Value, any Error>?
  }

  private let state = Mutex(State())

  /// Gives the result, unless there is one.
  func resolve(_ result: Result<Value, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      if state.result == nil { state.result = result }
      return state.continuation.take()
    }
    // After the lock. The one that waits gets the first result, which is this one.
    continuation?.resume(with: result)
  }

  /// Waits for the result; throws `CancellationError` if the task is cancelled before.
  var value: Value {
    get async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let result = state.withLock { state -> Result<Value, any Error>? in
            if state.result == nil { state.continuation = continuation }
            return state.result
          }
          if let result { continuation.resume(with: result) }
        }
      } onCancel: {
        resolve(.failure(CancellationError()))
      }
    }
  }
}
