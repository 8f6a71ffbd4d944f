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
