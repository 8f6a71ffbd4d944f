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

  @Test func `a debug build says once that nobody runs the main queue`() async throws {
    let program = BuiltProgram("LateMain")
    async let late = program.run().printed
    async let busy = program.run(["--busy"]).printed

    let start = "slot: on main\n"
    let waiting = """
      slot: on main, of another signal
      two seconds

      """
    let delivered = """
      now the queue runs
      slot: of a worker
      slot: on main, behind the worker's
      slot: on main, of another signal, behind that
      slot: of a worker, late
      slot: of a worker, last

      """
    #if DEBUG
      let report = """
        SignalObserver: payloads have waited for two seconds for the main queue, which has not run yet. \
        If nobody runs it, see the article "Threads, queues and actors".

        """
    #else
      let report = ""
    #endif
    #expect(try await late == start + waiting + report + delivered)
    // It has run, and is busy.
    #expect(try await busy == start + "slot: of a worker, early\n" + waiting + delivered)
  }
}
