import Foundation
import Testing

#if CHECKED
  private let areProgramsBuilt = true
#else
  private let areProgramsBuilt = false
#endif

/// The programs of `Proof`, at a small size, and what shows that they can fail.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: areProgramsBuilt, "its programs are built where SIGNAL_OBSERVER_CHECKS is set"))
struct ProofTests {
  @Test func `the library does what the model says`() throws {
    let outcome = try run("model", "20000", "7")

    #expect(outcome.code == 0, "\(outcome.printed)")
    #expect(outcome.printed.hasPrefix("model: 20000 operations"))
  }

  /// In the order of emissions, what bindings cut, what a replay keeps, pairs that wait, how bonds begin,
  /// what a getter returns, equal properties, and what is due.
  @Test(arguments: ["order", "cycle", "replay", "latest", "bond", "custom", "property", "time"])
  func `a model that is wrong is told from the library by a few operations`(
    _ fault: String
  ) throws {
    let outcome = try run("model", "20000", "1", "--fault", fault)

    #expect(outcome.code == 1)
    let operations = outcome.printed.split(separator: "\n").filter { $0.hasPrefix("  .") }
    #expect(1...30 ~= operations.count, "\(outcome.printed)")
    #expect(outcome.printed.contains("model: a difference after "))
  }

  @Test func `permanent slots see each emission once while others connect and cancel`() throws {
    let outcome = try run("stress", "0.5")

    #expect(outcome.code == 0, "\(outcome.printed)")
    #expect(outcome.printed.hasPrefix("stress: "))
  }

  /// Runs a program that was built with the tests.
  private func run(
    _ program: String, _ arguments: String...
  ) throws -> (code: Int32, printed: String) {
    let output = Pipe()
    let process = Process()
    process.executableURL = products.appending(path: program)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: printed, as: UTF8.self))
  }

  /// Where the package manager puts what it builds: beside the tests' bundle, or where there are no
  /// bundles, beside their program.
  private var products: URL {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    #else
      return Bundle.main.bundleURL
    #endif
  }
}
