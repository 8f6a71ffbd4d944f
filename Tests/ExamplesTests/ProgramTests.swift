import BuiltProgram
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
      ["import is done", "index is done"] index: 100 %
      backup is done index: 100 %
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
  func `a small program prints what it is to print`(name: String, expected: String) async throws {
    #expect(try await output(of: name) == expected + "\n")
  }

  @Test(arguments: [("signup", "--wiring"), ("goals", "--trace")])
  func `the article "Seeing the wiring" has what a program prints`(
    name: String, argument: String
  ) async throws {
    let printed = try await output(of: name, [argument])
    let marked = try article("SeeingTheWiring").components(
      separatedBy: "<!-- \(name) \(argument) -->\n```\n")
    #expect(marked.count == 2)
    let shown = try #require(marked.last?.components(separatedBy: "```").first)

    // The same as pictures follows in what the program prints.
    #expect(printed.contains("\n" + shown), "The program prints:\n\(printed)")
  }

  @Test func `the article "Start here" has what its program prints`() async throws {
    let blocks = try article("StartHere").components(separatedBy: "```console\n").dropFirst()
    let shown = try blocks.map { try #require($0.components(separatedBy: "```").first) }

    #expect(!shown.isEmpty)
    #expect(try await output(of: "jobs") == shown.joined() + "the test passed\n")
  }

  /// What a program prints, which ends without an error.
  private func output(of name: String, _ arguments: [String] = []) async throws -> String {
    let outcome = try await BuiltProgram(name).run(arguments)
    #expect(outcome.code == 0)
    return outcome.printed
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

  private func article(_ name: String) throws -> String {
    let articles = URL(fileURLWithPath: #filePath)
      .appendingPathComponent("../../../Sources/SignalObserver/Documentation.docc")
    let file = articles.appendingPathComponent("\(name).md").standardizedFileURL
    return try String(contentsOf: file, encoding: .utf8)
  }
}
