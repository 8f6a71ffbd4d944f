import Testing
import Turns

/// Lets one suite run at a time, so that its tests have the processors, the main queue and the actors to
/// themselves.
///
/// With all tests at once, a test's time limit and its gates would also count the time that hundreds of
/// others take, and a main slot would run later because something of another test waits for the main queue.
struct InTurn: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    await Turns.take()
    defer { Turns.give() }
    try await function()
  }
}

extension Trait where Self == InTurn {
  /// Beside `.serialized`, which is for the tests of the suite.
  static var inTurn: Self { InTurn() }
}

/// Returns when `condition` holds, or records an issue that says what was waited for: once the task is
/// cancelled, as a time limit does, or after half a minute.
///
/// A slot that waits in a task that its test cancels is not `isCancellable`.
func until(
  _ what: @autoclosure () -> String, _ location: SourceLocation = #_sourceLocation,
  isCancellable: Bool = true, _ condition: () -> Bool
) async {
  let deadline = ContinuousClock.now + .seconds(30)
  while !condition() {
    if isCancellable && Task.isCancelled || ContinuousClock.now > deadline {
      Issue.record("waited for \(what())", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}
