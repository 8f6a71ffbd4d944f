import Foundation
import NATSServer
import Synchronization

/// Another process, which is gone at the end of the test.
final class Peer: Sendable {
  private let process: ChildProcess
  private let lines = Trace<String>()

  /// Starts one of this package's programs, or another one by its path.
  ///
  /// `environment` is added to that of the tests.
  init(
    _ arguments: [String], program: String = "remote-peer", environment: [String: String] = [:]
  ) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw NATSServer.Failure.noPort }
    let (reader, writer) = (ends[0], ends[1])
    defer { close(writer) }
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    do {
      process = try ChildProcess(
        URL(fileURLWithPath: Self.path(of: program)), arguments, environment: all, output: writer)
    } catch {
      close(reader)
      throw error
    }
    let lines = lines
    // It ends when nobody can print any more.
    Thread.detachNewThread {
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(reader, &buffer, buffer.count)
        if count <= 0 { break }
        text += buffer[..<count]
        while let end = text.firstIndex(of: 10) {
          lines.append(String(decoding: text[..<end], as: UTF8.self))
          text.removeFirst(end + 1)
        }
      }
      close(reader)
    }
  }

  var processID: Int32 { process.processID }
  var printed: [String] { lines.all }
  var isRunning: Bool { process.isRunning }
  /// The exit code of the process, or a negative number for the signal that ended it.
  ///
  /// It waits for the end.
  var status: Int32 { process.status }

  /// Waits until the process has printed a line.
  func hasPrinted(_ line: String) async -> Bool {
    await hasPrinted { $0 == line }
  }

  /// Waits until the process has printed such a line.
  func hasPrinted(_ isLine: (String) -> Bool) async -> Bool {
    await until { self.lines.all.contains(where: isLine) }
  }

  /// `kill -9`.
  func kill() { process.kill() }

  /// The path of one of this package's programs.
  static func path(of program: String) -> String {
    URL(fileURLWithPath: program, relativeTo: products).path
  }

  /// Where the package manager puts what it builds.
  private static var products: URL {
    #if os(Linux)
      let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      return program.deletingLastPathComponent()
    #else
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    #endif
  }
}
