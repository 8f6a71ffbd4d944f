import AsyncHTTPClient
import DuplicateFinder
import Foundation
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import SignalObserver
import Synchronization
import Testing

@testable import LivePage

/// A folder for one test, which goes with it.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "live-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(copies: Int, of text: String, named name: String) throws {
    for number in 1...copies {
      try Data(text.utf8).write(to: url.appending(path: "\(name) \(number)"))
    }
  }

  /// Writes files that take long to be compared, and no room on the disk.
  func writeBigFiles() throws {
    for number in 1...40 {
      let file = url.appending(path: "big \(number)")
      try Data().write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: 1 << 22)
      try handle.close()
    }
  }

  /// Writes so much that what a browser is told of it does not fit the system's buffers.
  func writeGroupsWithLongNames(_ groups: Int, copies: Int) throws {
    var deep = url
    for _ in 0..<4 { deep.append(path: String(repeating: "d", count: 240)) }
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
    for group in 0..<groups {
      let data = Data("group \(group)".utf8)
      for copy in 0..<copies { try data.write(to: deep.appending(path: "\(group) \(copy)")) }
    }
  }
}

final class Trace: Sendable {
  private let list = Mutex<[String]>([])

  var entries: [String] { list.withLock { $0 } }

  func add(_ entry: String) { list.withLock { $0.append(entry) } }
}

/// A server that is running, and a client of it.
struct Server: Sendable {
  let folders: [TemporaryFolder]
  let clients: Clients
  let group: ServiceGroup
  let http: HTTPClient
  let address: String
  let running: Task<Void, any Error>

  var folder: TemporaryFolder { folders[0] }

  func request(
    _ method: HTTPMethod, _ path: String, _ headers: [String: String] = [:]
  ) async throws -> (status: HTTPResponseStatus, headers: HTTPHeaders, body: String) {
    var request = HTTPClientRequest(url: "\(address)/\(path)")
    request.method = method
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    let response = try await http.execute(request, timeout: .seconds(120))
    let body = try await response.body.collect(upTo: 1 << 20)
    return (response.status, response.headers, String(buffer: body))
  }

  func get(_ path: String) async throws -> (
    status: HTTPResponseStatus, headers: HTTPHeaders, body: String
  ) {
    try await request(.GET, path)
  }

  func post(_ path: String, _ headers: [String: String] = [:]) async throws -> HTTPResponseStatus {
    try await request(.POST, path, headers).status
  }

  func health() async throws -> HealthMessage {
    try JSONDecoder().decode(HealthMessage.self, from: Data(try await get("health").body.utf8))
  }

  /// Waits for the end of all services.
  func hasEnded() async throws { try await running.value }

  /// Connects to the stream of events.
  func events() async throws -> EventReader {
    let response = try await http.execute(
      HTTPClientRequest(url: "\(address)/events"), timeout: .seconds(240))
    #expect(response.status == .ok)
    return EventReader(response)
  }
}

struct HealthMessage: Decodable, Equatable {
  let clients, slots, pending, dropped, scans: Int
}

/// Runs a server on any free port of the loopback address, and ends it.
func withServer(
  folders count: Int = 1, address: String = "127.0.0.1", hosts: [String] = [],
  clientLimit: Int = 1000, _ body: (Server) async throws -> Void
) async throws {
  let folders = try (0..<count).map { _ in try TemporaryFolder() }
  let board = Board(folders.map { Path($0.url.path) }, interval: .milliseconds(10))
  let live = Live(board, address: address, port: 0, hosts: hosts, clientLimit: clientLimit)
  let group = live.group(endingOn: [], gracePeriod: .milliseconds(200))
  var configuration = HTTPClient.Configuration()
  configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 200
  let http = HTTPClient(configuration: configuration)
  let running = Task { try await group.run() }
  do {
    let port = try #require(await live.port.compactMap { $0 }.next())
    try await body(
      Server(
        folders: folders, clients: live.clients, group: group, http: http,
        address: "http://127.0.0.1:\(port)", running: running))
  } catch {
    await group.triggerGracefulShutdown()
    try? await http.shutdown()
    _ = await running.result
    throw error
  }
  await group.triggerGracefulShutdown()
  try await running.value
  try await http.shutdown()
}
