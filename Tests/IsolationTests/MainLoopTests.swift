import Foundation
import Testing

#if CHECKED
  private let areProgramsBuilt = true
#else
  private let areProgramsBuilt = false
#endif

/// However the main queue is run, an emission on it reaches a main slot at once, and one off it
/// hops, in order.
@Suite(
  .serialized, .inTurn, .timeLimit(.minutes(5)),
  .enabled(if: areProgramsBuilt, "its programs are built where SIGNAL_OBSERVER_CHECKS is set"))
struct MainLoopTests {
  @Test(arguments: ["AsyncMain", "DispatchMain", "RunLoopMain"])
  func `main slots run at once on the main queue, and hop from elsewhere`(program: String) throws {
    let trace = try run(program)

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

  /// Runs a program that was built with the tests, and returns what it prints.
  private func run(_ program: String) throws -> String {
    let output = Pipe()
    let process = Process()
    process.executableURL = products.appending(path: program)
    process.standardOutput = output
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: printed, as: UTF8.self)
  }

  /// Where the package manager puts what it builds: beside the tests' bundle, or
  /// where there are no bundles, beside their program.
  private var products: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
  }
}
