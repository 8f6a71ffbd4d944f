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
      "jobs",
      """
      ["import is done", "index is done"] 100
      backup is done 100
      the test passed
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
    #expect(try output(of: name) == expected + "\n")
  }

  @Test(arguments: [("signup", "--wiring"), ("goals", "--trace")])
  func `the article "Seeing the wiring" has what a program prints`(
    name: String, argument: String
  ) throws {
    let printed = try output(of: name, [argument])
    let article = try String(contentsOf: Self.article, encoding: .utf8)
    let marked = article.components(separatedBy: "<!-- \(name) \(argument)").dropFirst()
    let blocks = try marked.map { text in
      let lines = text.components(separatedBy: "\n").dropFirst(2)
      let end = try #require(lines.firstIndex(of: "```"))
      return lines[..<end].joined(separator: "\n")
    }

    #expect(blocks.count == 2)
    // The picture for Graphviz, which the article has not, is the last one of `--wiring`.
    let known = blocks.joined(separator: "\n\n")
    #expect(printed.contains("\n" + known + "\n"), "The program prints:\n\(printed)")
  }

  /// What a program prints, which ends without an error.
  private func output(of name: String, _ arguments: [String] = []) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = Self.products.appendingPathComponent(name)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output

    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()

    #expect(process.terminationStatus == 0)
    return String(decoding: printed, as: UTF8.self)
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

  private static let article = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../Sources/SignalObserver/Documentation.docc")
    .appendingPathComponent("SeeingTheWiring.md").standardizedFileURL

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
