import Synchronization
import Testing

/// Lets one suite run at a time, so that its tests share the processors and the main queue with those of
/// other targets only.
///
/// With all tests at once, a test's time limit and its gates would also count the time that hundreds of
/// others take, and a run would take three times as much of the processors: those who wait look again
/// and again.
struct InTurn: SuiteTrait, TestScoping {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private static let state = Mutex(State())

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    await withCheckedContinuation { continuation in
      let isFree = Self.state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
    defer {
      let next = Self.state.withLock { state in
        state.isTaken = !state.waiting.isEmpty
        return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      }
      next?.resume()
    }
    try await function()
  }
}

extension Trait where Self == InTurn {
  /// Beside `.serialized`, which is for the tests of the suite.
  static var inTurn: Self { InTurn() }
}
