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
