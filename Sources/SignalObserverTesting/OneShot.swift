import SignalObserver

/// A result for which one task waits.
///
/// Only the first result counts.
final class OneShot<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, any Error>?
    var continuation: CheckedContinuation<Value, any Error>?
  }

  private let state = Lock(State())

  /// Sets the result, unless there is one.
  func resolve(_ result: Result<Value, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      if state.result == nil { state.result = result }
      return state.continuation.take()
    }
    // This is after the lock. There is a continuation only if this result is the first.
    continuation?.resume(with: result)
  }

  /// The result.
  ///
  /// The getter waits for it.
  ///
  /// Throws `CancellationError` if the task is cancelled first.
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
