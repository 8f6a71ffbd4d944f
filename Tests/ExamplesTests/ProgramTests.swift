import Foundation
import Testing

/// Runs the small programs under Examples, and compares what they print.
@Suite(.timeLimit(.minutes(2)))
struct ProgramTests {
  @Test(arguments: [
    (
      "goals",
      """
      North: 1
      Go, North!
      South: 1
      North: 2
      South: 2
      (a goal for South)
      South: 3
      """
    ),
    (
      "thermometer",
      """
      18.5 degrees
      21.0 degrees
      23.5 degrees
      highest 23.5, average 21.0
      """
    ),
    (
      "signup",
      """
      label: Enter a name.
      button: off
      > the name
      label: The password is too short.
      > the password
      label: -
      button: on
      > another name
      renamed: Kim to Lee
      """
    ),
    (
      "search",
      """
      passed: nothing is searched for while the user types
      passed: a pause searches for the newest text, once
      passed: a connection does not hold its emitter's owner
      """
    ),
  ])
  func `a small program prints what it is to print`(name: String, expected: String) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = Self.products.appendingPathComponent(name)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output

    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()

    #expect(String(decoding: printed, as: UTF8.self) == expected + "\n")
    #expect(process.terminationStatus == 0)
  }

  @Test func `a small program is one file of at most 60 lines`() throws {
    let examples = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Examples")
    for name in ["goals", "thermometer", "signup", "search"] {
      let folder = examples.standardizedFileURL.appendingPathComponent(name)
      let text = try String(
        contentsOf: folder.appendingPathComponent("main.swift"), encoding: .utf8)

      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["main.swift"])
      #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
    }
  }

  /// The folder of the test bundle is that of the products.
  private static let products: URL = {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
      return bundle.bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }()
}
