import BuiltProgram
import Testing

/// However the main queue is run, an emission on it reaches a main slot at once, and one off it
/// later, in order.
@Suite(
  .serialized, .inTurn, .timeLimit(.minutes(5)),
  .enabled(
    if: BuiltProgram.includesChecks, "its programs are built where SIGNAL_OBSERVER_CHECKS is set"))
struct MainLoopTests {
  static var programs: [String] {
    #if os(Linux)
      // By calls that Apple's libdispatch does not have.
      ["AsyncMain", "DispatchMain", "PollLoop", "RunLoopMain"]
    #else
      ["AsyncMain", "DispatchMain", "RunLoopMain"]
    #endif
  }

  @Test(arguments: programs)
  func `main slots run at once on the main queue, and later from elsewhere`(
    program: String
  ) async throws {
    let trace = try await BuiltProgram(program).run().printed

    #expect(
      trace == """
        invoke: before the loop
          slot: before the loop
        returned
        invoke: on the main queue
          slot: on the main queue
        returned
        invoke: on the main actor
          slot: on the main actor
        returned
        invoke: off the main queue
        returned
        invoke: off again
        returned
        invoke: on the main queue, behind others
        returned
          slot: off the main queue
          slot: off again
          slot: on the main queue, behind others

        """)
  }
}
