import Foundation
import Synchronization

/// Another process, which is gone at the end of the test.
final class Peer: @unchecked Sendable {
  private let process = Process()
  private let lines = Trace<String>()
  private let output = Pipe()

  init(_ arguments: [String], program: String = "remote-peer") throws {
    process.executableURL = Self.products.appending(path: program)
    process.arguments = arguments
    process.standardOutput = output
    let lines = lines
    let rest = Mutex("")
    output.fileHandleForReading.readabilityHandler = { handle in
      let text = String(decoding: handle.availableData, as: UTF8.self)
      rest.withLock { rest in
        rest += text
        while let end = rest.firstIndex(of: "\n") {
          lines.append(String(rest[..<end]))
          rest = String(rest[rest.index(after: end)...])
        }
      }
    }
    try process.run()
  }

  deinit { kill() }

  var printed: [String] { lines.all }
  var isRunning: Bool { process.isRunning }
  /// What the process ended with; it must have.
  var status: Int32 { process.terminationStatus }

  /// Waits until the process has printed a line.
  func hasPrinted(_ line: String, seconds: Double = 60) async -> Bool {
    await until(seconds: seconds) { self.lines.all.contains(line) }
  }

  /// `kill -9`.
  func kill() {
    output.fileHandleForReading.readabilityHandler = nil
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Where the package manager puts what it builds.
  static var products: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
  }
}
