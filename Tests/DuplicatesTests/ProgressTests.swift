import Foundation
import Testing

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
