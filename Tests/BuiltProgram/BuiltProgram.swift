public import Foundation

/// A program that was built with the tests.
public struct BuiltProgram: Sendable {
  /// Whether the programs of the checks are built, too.
  public static var includesChecks: Bool {
    #if CHECKED
      true
    #else
      false
    #endif
  }

  /// The file of the program.
  public let url: URL

  /// The program of this name.
  ///
  /// The package manager puts what it builds beside the bundle of the tests, or where there are no bundles,
  /// beside their program.
  public init(_ name: String) {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let products = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    #else
      let products = Bundle.main.bundleURL
    #endif
    url = products.appending(path: name)
  }

  /// Runs it to its end, and returns what it printed on standard output.
  ///
  /// A thread of its own waits. All tests share as many threads as there are processors, and some of them
  /// need two at a time.
  public func run(_ arguments: [String] = []) async throws -> (code: Int32, printed: String) {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try runHere(arguments) })
      }
    }
  }

  private func runHere(_ arguments: [String]) throws -> (code: Int32, printed: String) {
    let output = Pipe()
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: printed, as: UTF8.self))
  }
}
