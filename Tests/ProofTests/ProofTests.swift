import BuiltProgram
import Testing

/// The programs of `Proof`, at a small size, and what shows that they can fail.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(
    if: BuiltProgram.includesChecks, "its programs are built where SIGNAL_OBSERVER_CHECKS is set"))
struct ProofTests {
  /// Plays operations from a seed.
  ///
  /// The second run ends a slot of an operator of time that waits on a queue. The third makes a bond in
  /// an emission that is outdated.
  @Test(arguments: [(5000, 7), (200, 60_004_669), (200, 200_012_764)])
  func `the library does what the model says`(_ count: Int, _ seed: Int) async throws {
    let outcome = try await BuiltProgram("model").run(["\(count)", "\(seed)"])

    #expect(outcome.code == 0, "\(outcome.printed)")
    #expect(outcome.printed.hasPrefix("model: \(count) operations"))
  }

  /// In the order of emissions, what bindings cut, what a replay keeps, pairs that wait, how bonds begin,
  /// what a getter returns, equal properties, what is due, and the order of pairs.
  ///
  /// Each begins with a seed by which it is soon found.
  @Test(arguments: [
    ("order", 300), ("cycle", 310), ("replay", 300), ("latest", 328), ("bond", 300),
    ("custom", 427), ("property", 315), ("newest", 300), ("time", 331), ("zip", 321),
  ])
  func `a model that is wrong is told from the library by a few operations`(
    _ fault: String, _ seed: Int
  ) async throws {
    let outcome = try await BuiltProgram("model").run(["20000", "\(seed)", "--fault", fault])

    #expect(outcome.code == 1)
    let operations = outcome.printed.split(separator: "\n").filter { $0.hasPrefix("  .") }
    #expect(1...30 ~= operations.count, "\(outcome.printed)")
    #expect(outcome.printed.contains("model: a difference after "))
  }

  @Test func `permanent slots see each emission once while others connect and cancel`() async throws
  {
    let outcome = try await BuiltProgram("stress").run(["0.5"])

    #expect(outcome.code == 0, "\(outcome.printed)")
    #expect(outcome.printed.hasPrefix("stress: "))
  }
}
