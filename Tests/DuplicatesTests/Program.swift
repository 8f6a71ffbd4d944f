import BuiltProgram
import Foundation

/// A run of the program that was built with the tests.
final class Program {
  private static let program = BuiltProgram("duplicates")

  let process = Process()
  let output = Pipe()
  let errors = Pipe()
  /// Held, since it is deleted when it is dropped.
  private let sandbox: Sandbox
  /// Whether it runs now says nothing: it may have ended.
  private var hasBegun = false

  /// Prepares a run with `arguments`.
  init(in sandbox: Sandbox, _ arguments: String...) {
    self.sandbox = sandbox
    process.executableURL = Self.program.url
    process.arguments = arguments
    prepare()
  }

  /// Prepares a run by a shell, for which `$duplicates` is the program.
  init(in sandbox: Sandbox, script: String) {
    self.sandbox = sandbox
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["duplicates": Self.program.url.path]) { $1 }
    prepare()
  }

  private func prepare() {
    process.currentDirectoryURL = sandbox.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
  }

  func begin() throws {
    hasBegun = true
    try process.run()
  }

  /// Runs the program to its end, from where it is if it has begun.
  func finish() throws -> Outcome {
    if !hasBegun { try begin() }
    let written = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      code: process.terminationStatus, output: String(decoding: written, as: UTF8.self),
      errors: String(decoding: complaints, as: UTF8.self))
  }
}
