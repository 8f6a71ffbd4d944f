import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ReportTests {
  @Test func `the report names the groups and ends with totals`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("hello", to: "b", "a", "sub/c")
    try sandbox.write(String(repeating: "x", count: 1234), to: "e", "d")
    try sandbox.write("other", to: "f")

    let outcome = try Program(in: sandbox, ".").finish()

    let report = """
      2 files of 1.2 kB (1234 bytes)
        ./d
        ./e

      3 files of 5 bytes
        ./a
        ./b
        ./sub/c

      2 groups, 3 redundant files: 1.2 kB (1244 bytes) could be freed.

      """
    #expect(outcome == Outcome(code: 0, output: report))
  }

  @Test func `without duplicates the report says so`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("", to: "a", "b")

    let outcome = try Program(in: sandbox, ".", "./a").finish()

    #expect(outcome == Outcome(code: 0, output: "No duplicates found.\n"))
  }

  @Test func `empty files are reported if wanted`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("", to: "a", "b")

    let outcome = try Program(in: sandbox, ".", "--empty").finish()

    let report = """
      2 files of 0 bytes
        ./a
        ./b

      1 group, 1 redundant file: 0 bytes could be freed.

      """
    #expect(outcome == Outcome(code: 0, output: report))
  }

  @Test(arguments: [("3", 2), ("1k", 1), ("1001", 0), ("0M", 2), ("1G", 0)])
  func `smaller files than wanted are left out`(size: String, groups: Int) throws {
    let sandbox = try Sandbox()
    try sandbox.write(String(repeating: "x", count: 1000), to: "a", "b")
    try sandbox.write("xyz", to: "c", "d")

    let outcome = try Program(in: sandbox, ".", "--min-size", size).finish()

    let reported = outcome.output.components(separatedBy: "2 files of").count - 1
    #expect(outcome.code == 0)
    #expect(outcome.errors == "")
    #expect(reported == groups)
  }

  @Test func `excluded names are left out`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("x", to: "a", "b", ".git/c", "sub/d.tmp", "sub/-e")

    let outcome = try Program(
      in: sandbox, ".", "--exclude", ".git", "--exclude", "*.tmp", "--exclude", "-e"
    ).finish()

    #expect(outcome.code == 0)
    #expect(outcome.output.hasPrefix("2 files of 1 byte\n  ./a\n  ./b\n\n1 group"))
  }

  @Test func `programs get names with a zero behind each and one more behind each group`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("hello", to: "a\n", "b\u{202E}c")
    try sandbox.write("x", to: "d", "e", "f")

    let outcome = try Program(in: sandbox, ".", "--print0").finish()

    #expect(
      outcome == Outcome(code: 0, output: "./a\n\0./b\u{202E}c\0\0./d\0./e\0./f\0\0"))
  }

  @Test func `programs get nothing where there are no duplicates`() throws {
    let outcome = try Program(in: Sandbox(), ".", "--print0").finish()

    #expect(outcome == Outcome(code: 0))
  }

  @Test func `a name that turns the text round is reported by its bytes`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("x", to: "a", "b\u{202E}gpj.exe")

    let outcome = try Program(in: sandbox, ".").finish()

    #expect(outcome.output.hasPrefix("2 files of 1 byte\n  ./a\n  $'./b\\xe2\\x80\\xaegpj.exe'\n"))
  }

  @Test func `a thousand groups are reported once each and before the totals`() throws {
    let sandbox = try Sandbox()
    for number in 1000..<2000 { try sandbox.write("\(number)", to: "\(number)", "copy/\(number)") }

    let outcome = try Program(in: sandbox, ".").finish()

    let groups = (1000..<2000).map { "2 files of 4 bytes\n  ./\($0)\n  ./copy/\($0)\n\n" }
    let totals = "1000 groups, 1000 redundant files: 4.0 kB (4000 bytes) could be freed.\n"
    #expect(outcome == Outcome(code: 0, output: groups.joined() + totals))
  }

  @Test func `more files of one size are compared than may be open`() throws {
    let sandbox = try Sandbox()
    for number in 0..<1000 { try sandbox.write("equal", to: "\(number)") }

    let outcome = try Program(in: sandbox, script: "ulimit -n 16; exec $duplicates .").finish()

    #expect(outcome.code == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("1000 files of 5 bytes\n  ./0\n  ./1\n  ./10\n  ./100\n"))
  }

  #if os(Linux)
    // Other systems refuse such names.
    @Test func `names that are no text are reported by their bytes`() throws {
      let sandbox = try Sandbox()
      let script = #"""
        name=$(printf 'caf\351'); mkdir $name; printf x > $name/a; printf x > b
        exec $duplicates $name b --json json
        """#

      let outcome = try Program(in: sandbox, script: script).finish()

      let document = try String(contentsOf: sandbox.file("json"), encoding: .utf8)
      #expect(outcome.output.hasPrefix("2 files of 1 byte\n  b\n  $'caf\\xe9/a'\n\n1 group"))
      #expect(document.contains(#""base64" : "Y2Fm6S9h""#))
    }
  #endif
}

@Suite(.timeLimit(.minutes(5)))
struct JSONTests {
  @Test func `the document says what the report says`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("hello", to: "b", "a\n")
    try sandbox.write("x", to: "c", "d")

    let outcome = try Program(in: sandbox, ".", "--json", "json").finish()

    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: sandbox.file("json")))
    let expected: NSDictionary = [
      "complete": true, "redundantBytes": 6, "redundantFiles": 2, "unreadable": [] as NSArray,
      "groups": [
        ["size": 5, "files": [["path": "./a\n"], ["path": "./b"]]] as NSDictionary,
        ["size": 1, "files": [["path": "./c"], ["path": "./d"]]] as NSDictionary,
      ] as NSArray,
    ]
    #expect(outcome.code == 0)
    #expect(document as? NSDictionary == expected)
  }

  @Test func `a file that cannot be created is named before the search`() throws {
    let outcome = try Program(in: Sandbox(), ".", "--json", "none/json").finish()

    #expect(
      outcome == Outcome(code: 73, errors: "duplicates: none/json: No such file or directory\n"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a document that does not fit is named and the report is not lost`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("x", to: "a", "b")

    let outcome = try Program(in: sandbox, ".", "--json", "/dev/full").finish()

    #expect(outcome.code == 73)
    #expect(outcome.output.hasSuffix("1 group, 1 redundant file: 1 byte could be freed.\n"))
    #expect(outcome.errors == "duplicates: /dev/full: No space left on device\n")
  }
}

@Suite(.timeLimit(.minutes(5)))
struct ProgressTests {
  @Test func `on a terminal there is a progress bar and it is gone in the end`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("x", to: "a", "b", "c")
    let terminal = try Terminal()
    let program = Program(in: sandbox, ".")
    program.process.standardError = terminal.device

    try program.begin()
    try program.errors.fileHandleForWriting.close()
    let outcome = try program.finish()

    #expect(outcome.output.hasSuffix("1 group, 2 redundant files: 2 bytes could be freed.\n"))
    let erased = "\r\u{1B}[K"
    let drawn = terminal.drawn { $0.contains("files") && $0.hasSuffix(erased) }
    #expect(drawn.hasPrefix(erased))
    #expect(drawn.contains("3 files"))
    #expect(drawn.hasSuffix(erased))
  }
}
