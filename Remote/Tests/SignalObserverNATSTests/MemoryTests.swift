import Foundation
import NATSServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct MemoryTests {
  @Test func `a process survives every order of connect, cancel, drop and close`() async throws {
    let server = try TestServer()

    let peer = try Peer(["churn", server.server.url, "8"])

    #expect(await peer.hasPrinted("done", seconds: 50))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
  func `a bus costs two threads, and all buses of a process share the others`() async throws {
    let server = try TestServer()
    var counts: [Int] = []
    for count in [0, 1, 33] {
      let peer = try Peer(["idle", server.server.url, "\(count)"])
      #expect(await peer.hasPrinted("connected"))
      counts.append(await leastThreads(of: peer))
    }
    // Beside the two of each bus and the four of libnats, there are a few of Dispatch.
    #expect((6...14).contains(counts[1] - counts[0]))
    #expect((64...80).contains(counts[2] - counts[1]))
  }

  /// How many threads a process has at the moment when it has the fewest.
  ///
  /// Those of Dispatch come and are gone.
  private func leastThreads(of peer: Peer) async -> Int {
    var least = Int.max
    await until(seconds: 3) {
      let threads = try? FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(peer.processID)/task")
      least = min(least, threads?.count ?? .max)
      return false
    }
    return least
  }
}
