import Foundation
import Testing

/// How the program ends when something fails.
@Suite(.timeLimit(.minutes(5)))
struct EndTests {
  @Test func `unreadable files are named and counted and the others reported`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("hello", to: "a", "b")
    for name in ["1", "2", "3"] { try sandbox.makeLoop(name) }

    let outcome = try Program(in: sandbox, "1", "2", ".", "3").finish()

    let report = """
      2 files of 5 bytes
        ./a
        ./b

      1 group, 1 redundant file: 5 bytes could be freed. 3 files or folders could not be read.

      """
    #expect(outcome.code == 1)
    #expect(outcome.output == report)
    #expect(
      outcome.errors
        == (1...3).map { "duplicates: \($0): Too many levels of symbolic links\n" }.joined())
  }

  @Test func `Ctrl-C ends the search and what was found is reported`() throws {
    let sandbox = try Sandbox()
    // The files are equal, so comparing them would take longer than anybody waits.
    for name in ["a", "b"] { try sandbox.writeHole(of: 1 << 36, to: name) }
    try sandbox.makeLoop("loop")
    let program = Program(in: sandbox, "loop", ".", "--json", "json")

    try program.begin()
    // The complaint about the link says that the search is in progress.
    let complaint = program.errors.fileHandleForReading.availableData
    program.process.interrupt()
    let outcome = try program.finish()

    let report =
      "No duplicates found. 1 file or folder could not be read. Stopped early: there may be more.\n"
    let document = try String(contentsOf: sandbox.file("json"), encoding: .utf8)
    #expect(!complaint.isEmpty)
    #expect(outcome == Outcome(code: 130, output: report))
    #expect(document.contains(#""complete" : false"#))
  }

  @Test(arguments: ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
  func `what is closed at the start is not written to, nor what takes its place`(
    _ closed: String
  ) throws {
    let sandbox = try Sandbox()
    try sandbox.write("hello", to: "a", "b")
    try sandbox.makeLoop("loop")

    let outcome = try Program(
      in: sandbox, script: "exec $duplicates . loop --json json \(closed)"
    ).finish()

    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: sandbox.file("json")))
    #expect(outcome.code == 1)
    #expect((document as? [String: Any])?["complete"] as? Bool == true)
    #expect(outcome.output.isEmpty == closed.contains("1>"))
    #expect(outcome.errors.isEmpty == closed.contains("2>"))
  }

  @Test func `a pipe that nobody reads ends the program quietly`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("x", to: "a", "b")
    // A pipe that has had a reader.
    let program = Program(
      in: sandbox, script: "mkfifo p; exec 3<>p 4>p 3>&-; $duplicates . >&4; echo $? >&2")

    let outcome = try program.finish()

    #expect(outcome == Outcome(code: 0, errors: "141\n"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a report that cannot be written is an error`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("x", to: "a", "b")

    let outcome = try Program(in: sandbox, script: "exec $duplicates . > /dev/full").finish()

    #expect(
      outcome
        == Outcome(code: 74, errors: "duplicates: standard output: No space left on device\n"))
  }
}
