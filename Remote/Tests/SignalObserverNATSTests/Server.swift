import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Synchronization
import Testing

/// A server of a test's own, with its store, both gone at the end.
final class TestServer: Sendable {
  let server: NATSServer
  let folder: URL
  /// The port where the server tells about itself.
  let monitor: Int

  init(configuration: String = "", hasJetStream: Bool = true) throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "signalobserver-nats-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "server.conf")
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    monitor = try NATSServer.freePort()
    server = try NATSServer(
      store: folder, arguments: ["-c", file.path, "-m", "\(monitor)"], hasJetStream: hasJetStream)
  }

  deinit {
    server.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  func bus(_ options: BusOptions = BusOptions()) async throws -> Bus {
    try await Bus(server.url, options: options)
  }
}

extension TestServer {
  /// What the server tells about itself.
  func monitored(_ path: String) throws -> String {
    let socket = try NATSServer.connect(to: monitor)
    let handle = FileHandle(fileDescriptor: socket, closeOnDealloc: true)
    try handle.write(
      contentsOf: Data("GET /\(path) HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".utf8))
    return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
  }
}

/// Three servers that keep each stream together.
final class TestCluster: Sendable {
  let servers: [NATSServer]
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "signalobserver-nats-\(UUID().uuidString)")
    let ports = try (0..<3).map { _ in try NATSServer.freePort() }
    let routes = ports.map { "nats://127.0.0.1:\($0)" }.joined(separator: ",")
    let folder = folder
    servers = try (0..<3).map { index in
      try NATSServer(
        store: folder.appending(path: "\(index)"),
        arguments: [
          "-n", "server\(index)", "--cluster_name", "tests", "--cluster",
          "nats://127.0.0.1:\(ports[index])", "--routes", routes,
        ])
    }
  }

  deinit {
    for server in servers { server.stop() }
    try? FileManager.default.removeItem(at: folder)
  }

  var urls: [String] { servers.map(\.url) }

  /// How many other servers the server at an index tells its clients of.
  func connects(to index: Int) throws -> Int {
    let socket = try NATSServer.connect(to: servers[index].port)
    let handle = FileHandle(fileDescriptor: socket, closeOnDealloc: true)
    let info = String(decoding: handle.availableData, as: UTF8.self)
    return servers.indices.filter { $0 != index && info.contains(":\(servers[$0].port)\"") }.count
  }
}

/// What slots were called with, and a wait for it that ends.
final class Trace<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }
  var count: Int { elements.withLock { $0.count } }

  func append(_ element: Element) { elements.withLock { $0.append(element) } }

  /// Waits until there are `count`, and returns what there is then.
  func wait(for count: Int, seconds: Double = 30) async -> [Element] {
    await until(seconds: seconds) { self.count >= count }
    return all
  }
}

/// Looks again and again until a condition holds, or the time is over.
@discardableResult
func until(seconds: Double = 30, _ condition: () -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return condition()
}

/// The numbers in the lines of a file that another process writes; none if there is no file.
///
/// Foundation leaks memory when it reads an empty file as a whole.
func numbersIn(_ file: String) -> [Int] {
  let data = try? FileHandle(forReadingAtPath: file)?.readToEnd()
  return String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n").map {
    Int($0) ?? -1
  }
}

extension Coding {
  func roundTrip(_ payload: Payload) -> Payload? {
    (try? encode(payload)).flatMap { bytes in
      bytes.withUnsafeBytes { try? decode($0) }
    }
  }

  func decoded(_ data: Data) -> Payload? {
    [UInt8](data).withUnsafeBytes { try? decode($0) }
  }
}
