import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ArgumentTests {
  private func usage() throws -> String {
    try Program(in: Sandbox(), "--help").finish().output
  }

  @Test func `help is printed on standard output`() throws {
    let outcome = try Program(in: Sandbox(), "--help").finish()

    #expect(outcome.code == 0)
    #expect(outcome.output.hasPrefix("usage: duplicates [OPTION]… PATH…\n"))
    #expect(outcome.errors == "")
  }

  @Test(arguments: [
    ("", "no PATH given"), ("--empty", "no PATH given"), ("--json", "--json needs a FILE"),
    (". --json", "--json needs a FILE"), ("--json --empty .", "--json needs a FILE"),
    (". --fast", "unknown option --fast"), ("-x .", "unknown option -x"),
    (". --exclude", "--exclude needs a NAME without a slash"),
    (". --exclude ''", "--exclude needs a NAME without a slash"),
    (". --exclude ./a", "--exclude needs a NAME without a slash"),
    (". --min-size", "--min-size needs a SIZE, such as 4096, 10k, 5M or 1G"),
    ("--min-size . .", "--min-size needs a SIZE, such as 4096, 10k, 5M or 1G"),
    ("--min-size k .", "--min-size needs a SIZE, such as 4096, 10k, 5M or 1G"),
    ("--min-size -1 .", "--min-size needs a SIZE, such as 4096, 10k, 5M or 1G"),
    ("--min-size 4T .", "--min-size needs a SIZE, such as 4096, 10k, 5M or 1G"),
    ("--min-size 9999999999G .", "--min-size needs a SIZE, such as 4096, 10k, 5M or 1G"),
  ])
  func `arguments that make no sense are answered with the usage`(
    arguments: String, message: String
  ) throws {
    let script = "exec $duplicates \(arguments)"

    let outcome = try Program(in: Sandbox(), script: script).finish()

    #expect(outcome == Outcome(code: 64, errors: "duplicates: \(message)\n\n\(try usage())"))
  }

  @Test func `behind two dashes everything is a path`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("x", to: "--empty", "-a")

    let outcome = try Program(in: sandbox, "--", "--empty", "-a").finish()

    #expect(outcome.output.hasPrefix("2 files of 1 byte\n  --empty\n  -a\n\n"))
  }

  @Test func `a path that does not exist is named and nothing is searched`() throws {
    let sandbox = try Sandbox()
    try sandbox.write("x", to: "a", "b")

    let outcome = try Program(in: sandbox, ".", "none", "--json", "json").finish()

    #expect(
      outcome == Outcome(code: 66, errors: "duplicates: none: No such file or directory\n"))
    #expect(!FileManager.default.fileExists(atPath: sandbox.file("json").path))
  }
}
