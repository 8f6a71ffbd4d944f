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
    let folder = try Watchdog.makeFolder()
    defer { Watchdog.removeFolder(folder) }

    #expect(throws: NATSServer.Failure.self) { try NATSServer(port: port, store: folder) }
  }

  #if os(Linux)
    @Test func `a demo that is killed leaves no process and no folder behind`()
      async throws
    {
      let demo = try Peer(["--goals", "1000"], program: "remote-demo")
      #expect(await demo.hasPrinted { $0.contains("shoots goal 2") })
      let started = demo.printed.compactMap { line in
        line.firstMatch(of: /is process (\d+)/).flatMap { Int32($0.1) }
      }
      // A server, two players and a board.
      #expect(started.count == 4)
      let folder = try #require(started.lazy.compactMap(store).first)
      #expect(FileManager.default.fileExists(atPath: folder))
      demo.kill()
      #expect(await until { started.allSatisfy { kill($0, 0) != 0 } })
      #expect(await until { !FileManager.default.fileExists(atPath: folder) })
    }

    @Test func `a test process that is killed leaves no server and no folder behind`() async throws
    {
      let ended = await #expect(
        processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
      ) {
        let server = try TestServer()
        let process = try #require(server.server as? NATSServer).processID
        FileHandle.standardOutput.write(Data("left \(process) \(server.folder.path) \n".utf8))
        kill(getpid(), SIGKILL)
      }

      let printed = String(decoding: try #require(ended).standardOutputContent, as: UTF8.self)
      let left = try #require(printed.firstMatch(of: /left (\d+) (\S+)/))
      let process = try #require(Int32(left.1))
      #expect(await until { kill(process, 0) != 0 })
      #expect(await until { !FileManager.default.fileExists(atPath: String(left.2)) })
    }

    /// The folder of a server; nil if the process is no server.
    private func store(of process: Int32) -> String? {
      let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
      let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return words.firstIndex(of: "-sd").map { words[$0 + 1] }
    }
  #endif
}

@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct DemoTests {
  @Test func `the demo loses nothing, though each process and the server are killed`() async throws
  {
    let demo = try Peer(["--goals", "12", "--kill"], program: "remote-demo")

    #expect(await demo.hasPrinted("[demo] north 12 : 12 south; lost: nothing"))
    for victim in ["north", "south", "board", "server"] {
      #expect(demo.printed.contains("[demo] kills \(victim) with kill -9"))
    }
    #expect(await until { !demo.isRunning })
  }
}
