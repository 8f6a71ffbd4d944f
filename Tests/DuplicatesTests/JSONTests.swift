import Foundation
import Testing

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
