import Foundation
import NATSServer
import Testing

/// What the other tests take for granted of a server that they start.
@Suite(.serialized, .twoAtATime) struct ServerTests {
  // The system hands out a port again as soon as nobody holds it, so that two servers got the same.
  @Test func `no port is handed out twice`() throws {
    let ports = try (0..<2000).map { _ in try NATSServer.freePort() }

    #expect(Set(ports).count == ports.count)
  }

  @Test func `a server that ends as it starts is an error, whoever else has its port`() throws {
    let (socket, port) = try NATSServer.listen()
    defer { close(socket) }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }

    #expect(throws: NATSServer.Failure.self) { try NATSServer(port: port, store: folder) }
  }
}
