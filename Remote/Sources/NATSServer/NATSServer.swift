package import Foundation
import Synchronization

/// A `nats-server` process that this process starts, on a loopback port.
package final class NATSServer: @unchecked Sendable {
  package enum Failure: Error { case notInstalled, noPort, notReady(String) }

  package let port: Int
  package let store: URL
  package var url: String { "nats://127.0.0.1:\(port)" }
  package var processID: Int32 { process?.processID ?? 0 }

  private let arguments: [String]
  private var process: ChildProcess?
  /// The size of what earlier processes have logged, in bytes.
  private var oldLog = 0

  /// Starts a server, and waits until it takes connections.
  ///
  /// - Parameters:
  ///   - port: The port; nil for a free one.
  ///   - store: The folder in which the server keeps streams.
  ///   - arguments: More arguments for the server.
  ///   - hasJetStream: Whether it keeps streams.
  ///   - waits: Whether to wait until the server takes connections.
  /// - Throws: ``Failure``.
  package init(
    port: Int? = nil, store: URL, arguments: [String] = [], hasJetStream: Bool = true,
    waits: Bool = true
  ) throws {
    self.port = try port ?? Self.freePort()
    self.store = store
    self.arguments = (hasJetStream ? ["-js", "-sd", store.path] : []) + arguments
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    try start(waits: waits)
  }

  deinit { stop() }

  /// The path of the installed server.
  package static var executable: URL? {
    let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
      String.init)
    return (paths + ["/usr/sbin", "/usr/local/sbin"])
      .map { URL(fileURLWithPath: $0).appending(path: "nats-server") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Starts the server again, on the same port and with the same store.
  package func start(waits: Bool = true) throws {
    guard let executable = Self.executable else { throw Failure.notInstalled }
    oldLog = logged.count
    process = try ChildProcess(
      executable, ["-a", "127.0.0.1", "-p", "\(port)", "-l", log.path] + arguments,
      output: nil, errors: nil)
    if waits { try waitUntilReady() }
  }

  package var isRunning: Bool { process?.isRunning ?? false }

  /// The log file of the server.
  package var log: URL { store.appending(path: "server.log") }

  /// All that the server's processes have logged.
  ///
  /// Foundation leaks memory when it reads an empty file as a whole, so this reads by a handle.
  private var logged: Data { (try? FileHandle(forReadingFrom: log).readToEnd()) ?? Data() }

  /// Waits until the process says that it is ready.
  ///
  /// Its port alone could be another program's.
  package func waitUntilReady() throws {
    for _ in 0..<500 where isRunning {
      if logged.dropFirst(oldLog).firstRange(of: Data("Server is ready".utf8)) != nil { return }
      usleep(20_000)
    }
    throw Failure.notReady(String(decoding: logged.dropFirst(oldLog), as: UTF8.self))
  }

  /// Kills the server with `kill -9`.
  package func kill() {
    process?.kill()
    process = nil
  }

  /// Stops the server, as if the network had failed, until ``resume()``.
  package func pause() { process?.pause() }

  package func resume() { process?.resume() }

  package func stop() { kill() }

  /// The port that ``freePort()`` tries next.
  private static let nextPort = Mutex(Int.random(in: ports))
  /// Ports below those that Linux and macOS give, unless told otherwise, to a socket that asks for
  /// any port.
  private static let ports = 10_000..<32_768

  /// Returns a port of the loopback address that nobody uses.
  ///
  /// No port is returned twice, until all have been returned. A server that is started again
  /// therefore finds its port free.
  package static func freePort() throws -> Int {
    for _ in ports {
      let port = nextPort.withLock { next in
        defer { next = next + 1 < ports.upperBound ? next + 1 : ports.lowerBound }
        return next
      }
      if let bound = bound(to: port) {
        close(bound.socket)
        return port
      }
    }
    throw Failure.noPort
  }

  /// Returns a socket that is bound to a port, any free one if that is 0; nil if it is taken.
  package static func bound(
    to port: Int, of host: UInt32 = loopback
  ) -> (socket: Int32, port: Int)? {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = address(port, of: host)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
      }
    }
    if isBound { return (socket, Int(UInt16(bigEndian: address.sin_port))) }
    close(socket)
    return nil
  }

  /// Returns a socket that is connected to a port of the loopback address.
  package static func connect(to port: Int) throws -> Int32 {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = address(port)
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        Foundation.connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isConnected { return socket }
    close(socket)
    throw Failure.noPort
  }

  /// Returns a socket that listens on a port of a loopback address, any free one if that is 0.
  package static func listen(
    on port: Int = 0, of host: UInt32 = loopback
  ) throws -> (socket: Int32, port: Int) {
    guard let bound = bound(to: port, of: host) else { throw Failure.noPort }
    if Foundation.listen(bound.socket, 64) == 0 { return bound }
    close(bound.socket)
    throw Failure.noPort
  }

  /// 127.0.0.1.
  package static let loopback: UInt32 = 0x7F00_0001

  private static func address(_ port: Int, of host: UInt32 = loopback) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return address
  }
}
