import Foundation
import NATSServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct MemoryTests {
  @Test func `a process survives every order of connect, cancel, drop and close`() async throws {
    let server = try TestServer()

    let peer = try Peer(["churn", server.server.url, "8"])

    #expect(await peer.hasPrinted("done", seconds: 50))
  }
}
