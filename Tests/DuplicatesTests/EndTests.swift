import Foundation
import Testing

/// How the program ends when something goes wrong.
@Suite(.timeLimit(.minutes(5)))
struct EndTests {
  private let long = String(repeating: "f", count: 200)

  @Test func `unreadable files are named and counted and the others reported`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("hello", to: "a", "b")
    try sandbox.makeTooDeep(folders: [long + "1"], files: [long + "2", long + "3"])

    let outcome = try Program(in: sandbox, ".").finish()

    let report = """
      2 files of 5 bytes
        ./a
        ./b

      1 group, 1 redundant file: 5 bytes could be freed. 3 files or folders could not be read.

      """
    let errors = outcome.errors.split(separator: "\n")
    #expect(outcome.code == 1)
    #expect(outcome.output == report)
    #expect(errors.map { $0.hasPrefix("duplicates: ./d") } == [true, true, true])
    #expect(errors.map { $0.hasSuffix(": File name too long") } == [true, true, true])
    #expect(Set(errors.compactMap { $0.firstMatch(of: /f(\d):/)?.1 }) == ["1", "2", "3"])
  }

  @Test func `Ctrl-C ends the search and what was found is reported`() throws {
    let sandbox = try Sandbox()
    // Equal, so that comparing them would go on for longer than anybody waits.
    for name in ["a", "b"] { try sandbox.writeHole(of: 1 << 36, to: name) }
    try sandbox.makeTooDeep(folders: [long])
    let program = Program(in: sandbox, ".", "--json", "json")

    try program.begin()
    // The complaint about the folder says that the search is in progress.
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
