import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSTesting
import Synchronization
import Testing

/// A kind of server that holds the promises.
enum Kind: CaseIterable {
  /// The program `nats-server`.
  case program
  /// The server in this process that users' tests use.
  case inMemory
}

/// Whether the tests of many messages have their full size, as in the check of each week.
let isFull = ProcessInfo.processInfo.environment["SIGNAL_OBSERVER_FULL"] != nil

/// A server that a test can stop, and break.
protocol BreakableServer: AnyObject {
  var url: String { get }
  var port: Int { get }
  func start() throws
  func kill()
  func pause()
  func resume()
}

extension NATSServer: BreakableServer {
  func start() throws { try start(waits: true) }
}

extension InMemoryServer: BreakableServer {
  var url: String { address }
  func start() throws { try start(losingStreams: false) }
  func kill() { stop() }
}

/// A server of a test's own, with its store, both gone at the end.
final class TestServer: Sendable {
  let server: any BreakableServer & Sendable
  let folder: URL
  /// The port where the server tells about itself.
  private let monitor: Int

  init(
    _ kind: Kind = .program, configuration: String = "", maximumSize: Int = 1 << 20,
    hasJetStream: Bool = true
  ) throws {
    folder = try Watchdog.makeFolder()
    if kind == .inMemory {
      monitor = 0
      server = try InMemoryServer(maximumSize: maximumSize)
      return
    }
    let file = folder.appending(path: "server.conf")
    try "max_payload: \(maximumSize)\n\(configuration)".write(
      to: file, atomically: true, encoding: .utf8)
    monitor = try NATSServer.freePort()
    server = try NATSServer(
      store: folder, arguments: ["-c", file.path, "-m", "\(monitor)"], hasJetStream: hasJetStream)
  }

  deinit {
    server.kill()
    Watchdog.removeFolder(folder)
  }

  func bus(_ options: BusOptions = .patient) async throws -> Bus {
    try await connectedBus(to: [server.url], options)
  }

  /// Kills the server, and starts it without anything that it has stored.
  func loseStreams() throws {
    server.kill()
    if let server = server as? InMemoryServer {
      try server.start(losingStreams: true)
    } else {
      try FileManager.default.removeItem(at: folder.appending(path: "jetstream"))
      try server.start()
    }
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

  /// Gives the server, which runs, another configuration.
  func reload(_ configuration: String) throws {
    try configuration.write(
      to: folder.appending(path: "server.conf"), atomically: true, encoding: .utf8)
    if let server = server as? NATSServer { Foundation.kill(server.processID, SIGHUP) }
  }

  /// A text with the subjects to which somebody is subscribed.
  func subscriptions() throws -> String {
    if let server = server as? InMemoryServer { return "\(server.subscriptions)" }
    return try monitored("connz?subs=1")
  }
}

/// A file beside the tests.
func fixture(_ name: String) -> URL {
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
}

/// Connects a bus, again if a busy machine has taken longer than the options allow.
func connectedBus(to urls: [String], _ options: BusOptions) async throws -> Bus {
  for _ in 0..<20 {
    do {
      return try await Bus(servers: urls, options: options)
    } catch BusError.connection(let reason) where reason.contains("took longer") {}
  }
  return try await Bus(servers: urls, options: options)
}

/// Three servers that keep each stream together.
final class TestCluster: Sendable {
  let servers: [NATSServer]
  let folder: URL

  init() throws {
    folder = try Watchdog.makeFolder()
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
    Watchdog.removeFolder(folder)
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

/// Lets two suites run at a time, because each test has servers and processes of its own.
///
/// A suite waits before its first test begins, so the time limits of tests do not count that.
struct TwoAtATime: SuiteTrait, TestScoping {
  private static let state = Mutex((free: 2, waiting: [CheckedContinuation<Void, Never>]()))

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    await withCheckedContinuation { turn in
      let isFree = Self.state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(turn)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { turn.resume() }
    }
    defer {
      let next = Self.state.withLock { state in
        if state.waiting.isEmpty { state.free += 1 }
        return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      }
      next?.resume()
    }
    try await function()
  }
}

extension Trait where Self == TwoAtATime {
  /// Beside `.serialized`, which is for the tests of the suite.
  static var twoAtATime: Self { TwoAtATime() }
}

/// What slots were called with, and a wait for it that ends.
final class Trace<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }
  var count: Int { elements.withLock { $0.count } }

  func append(_ element: Element) { elements.withLock { $0.append(element) } }

  /// Waits until there are `count`, and returns what there is then.
  func wait(for count: Int) async -> [Element] {
    await until { self.count >= count }
    return all
  }
}

extension BusOptions {
  /// Options with which a bus takes a server on a busy machine for a slow one, and not for a dead one.
  static var patient: BusOptions {
    var options = BusOptions()
    options.timeout = .seconds(20)
    return options
  }

  /// Options with which a bus and its consumers notice soon what is lost, and print no errors.
  static func quick(pingInterval: Duration = BusOptions().pingInterval) -> BusOptions {
    var options = BusOptions()
    options.timeout = .milliseconds(500)
    options.pingInterval = pingInterval
    options.takeover = .seconds(1)
    options.instruments = []
    return options
  }
}

/// Looks again and again until a condition holds, or the time is over.
///
/// The time is long, because a machine may be very busy, and a test that passes waits no longer.
@discardableResult
func until(seconds: Double = 200, _ condition: () -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    let start = ContinuousClock.now
    if condition() { return true }
    // A condition that costs much leaves the machine to what it waits for.
    try? await Task.sleep(for: max(.milliseconds(5), start.duration(to: .now) * 9))
  }
  return condition()
}

/// The first difference between what is and what should be, in a few words; nil if there is none.
///
/// An expectation about two long arrays would print both.
func difference<Element: Equatable>(
  _ found: some Collection<Element>, _ expected: some Collection<Element>
) -> String? {
  let counts = "\(found.count) of \(expected.count)"
  for (index, (one, other)) in zip(found, expected).enumerated() where one != other {
    return "\(counts), and \(one) instead of \(other) at \(index)"
  }
  return found.count == expected.count ? nil : counts
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

/// The number of lines in a file that another process writes; 0 if there is no file.
func linesIn(_ file: String) -> Int {
  let data = try? FileHandle(forReadingAtPath: file)?.readToEnd()
  return (data ?? Data()).withUnsafeBytes { bytes in
    var (count, rest) = (0, bytes[...])
    while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
      let end = memchr(start, 10, rest.count)
    {
      count += 1
      rest = rest.dropFirst(UnsafeRawPointer(end) - start + 1)
    }
    return count
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
