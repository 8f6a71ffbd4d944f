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

/// What a run of the program leaves behind.
struct Outcome: Error, Equatable {
  var code: Int32
  var output = ""
  var errors = ""
}

/// A folder in which the program runs, deleted when it is dropped.
///
/// Names in the program's output are relative to it.
final class Sandbox {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be deleted is left to the system.
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  func write(_ content: String, to names: String...) throws {
    for name in names {
      try FileManager.default.createDirectory(
        at: file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(content.utf8).write(to: file(name))
    }
  }

  /// Creates a file that looks as large as it is said to be and takes no room on the disk.
  func writeHole(of size: UInt64, to name: String) throws {
    try write("", to: name)
    let handle = try FileHandle(forWritingTo: file(name))
    try handle.truncate(atOffset: size)
    try handle.close()
  }

  /// Creates a symbolic link to itself, which nobody can follow, root included.
  func makeLoop(_ name: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: file(name).path, withDestinationPath: name)
  }
}

/// A terminal that keeps what is drawn on it.
final class Terminal {
  /// What the program draws on.
  let device: FileHandle
  private let screen: Int32

  init() throws {
    var descriptors: (screen: Int32, device: Int32) = (-1, -1)
    let result = unsafe openpty(&descriptors.screen, &descriptors.device, nil, nil, nil)
    if result != 0 { throw POSIXError(.ENOTTY) }
    screen = descriptors.screen
    device = FileHandle(fileDescriptor: descriptors.device, closeOnDealloc: true)
  }

  deinit { close(screen) }

  /// Returns what was drawn as soon as it is `complete`, or else when the program draws nothing
  /// more.
  ///
  /// The system takes its time from one end of a terminal to the other.
  func drawn(until complete: (String) -> Bool) -> String {
    var drawn = ""
    var bytes = [UInt8](repeating: 0, count: 4096)
    while !complete(drawn) {
      var wait = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&wait, 1, 10_000) != 1 { break }
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(screen, $0.baseAddress, $0.count)
      }
      if count <= 0 { break }
      drawn += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    return drawn
  }
}
