import AsyncHTTPClient
import DuplicateFinder
import Foundation
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import SignalObserver
import Testing

@testable import LivePage

/// The server on a port of its own, asked over HTTP by a client that knows nothing of it.
///
/// One test after the other: some write many files, and would let the others wait for their answers.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LiveTests {
  @Test func `a late client is told the present state first, and every group`() async throws {
    try await withServer { server in
      try server.folder.write(copies: 3, of: "same", named: "same")
      try server.folder.write(copies: 2, of: "other", named: "other")
      let first = try await server.events()
      #expect(try await server.post("folders/0/scan") == .accepted)
      let early = try await first.until("finished")
      let late = try await server.events().until("finished")

      #expect(early.groups.count == 2)
      #expect(late.groups == early.groups)
      #expect(late.states.map(\.phase) == ["idle", "finished"].suffix(late.states.count))
      #expect(try await late.activity(containing: "has finished, 2 groups"))
    }
  }

  @Test func `a group that is found while others watch reaches all of them`() async throws {
    try await withServer { server in
      try server.folder.write(copies: 2, of: "same", named: "same")
      var clients: [EventReader] = []
      for _ in 0..<5 { clients.append(try await server.events()) }
      #expect(try await server.post("folders/0/scan") == .accepted)
      for client in clients {
        #expect(try await client.until("finished").groups.map(\.files) == [2])
      }
    }
  }

  @Test func `a scan is cancelled, and can begin again`() async throws {
    try await withServer { server in
      // Enough to read that the scan is still at it when it is told to stop.
      try server.folder.writeBigFiles()
      let client = try await server.events()
      #expect(try await server.post("folders/0/scan") == .accepted)
      #expect(try await server.post("folders/0/scan") == .conflict)
      #expect(try await server.post("folders/0/cancel") == .accepted)
      #expect(try await client.until("cancelled").states.last?.scan == 1)
      #expect(try await server.post("folders/0/scan") == .accepted)
      let last = try await client.until("finished").states.last

      #expect(last?.scan == 2)
      #expect(last?.groups == 1)
    }
  }

  @Test func `a second folder is watched meanwhile`() async throws {
    try await withServer(folders: 2) { server in
      try server.folder.write(copies: 2, of: "one", named: "one")
      try server.folders[1].write(copies: 3, of: "two", named: "two")
      let client = try await server.events()
      #expect(try await server.post("folders/1/scan") == .accepted)
      #expect(try await server.post("folders/0/scan") == .accepted)
      var groups = try await client.until("finished", "finished").groups
      groups.sort { $0.folder < $1.folder }

      #expect(groups.map(\.folder) == [0, 1])
      #expect(groups.map(\.files) == [2, 3])
    }
  }

  @Test func `names stay names`() async throws {
    try await withServer { server in
      let name = "<script>alert(1)<"
      try server.folder.write(copies: 2, of: "same", named: name)
      let client = try await server.events()
      #expect(try await server.post("folders/0/scan") == .accepted)
      let found = try await client.until("finished")

      #expect(found.groups.first?.paths.allSatisfy { $0.contains(name) } == true)
      let page = try await server.get("")
      #expect(page.body.contains("<!doctype html>"))
      #expect(!page.body.contains("innerHTML ="))
      #expect(page.headers["content-security-policy"].first?.contains("default-src 'none'") == true)
    }
  }

  @Test func `folders that are not there are said to be unreadable`() async throws {
    try await withServer { server in
      try FileManager.default.removeItem(at: server.folder.url)
      let client = try await server.events()
      #expect(try await server.post("folders/0/scan") == .accepted)
      let found = try await client.until("finished")

      #expect(found.unreadable.map(\.reason) == ["No such file or directory"])
    }
  }

  @Test func `nothing else is served, and other sites are refused`() async throws {
    try await withServer { server in
      #expect(try await server.post("folders/1/scan") == .notFound)
      #expect(try await server.post("folders/-1/scan") == .notFound)
      #expect(try await server.post("folders/x/scan") == .badRequest)
      #expect(try await server.get("etc/passwd").status == .notFound)
      #expect(try await server.get("../etc/passwd").status == .notFound)
      #expect(try await server.get("folders/0/scan").status != .ok)
      #expect(try await server.post("folders/0/scan", ["Host": "evil.example"]) == .forbidden)
      #expect(
        try await server.post("folders/0/scan", ["Origin": "http://evil.example"]) == .forbidden)
      let health = try await server.health()
      #expect(health.scans == 0)
    }
  }

  @Test func `a thousand clients come and go, and leave nothing`() async throws {
    try await withServer { server in
      try server.folder.write(copies: 2, of: "same", named: "same")
      let before = try await server.health()
      for _ in 0..<10 {
        try await withThrowingTaskGroup { group in
          for _ in 0..<100 {
            group.addTask { [server] in
              let client = try await server.events()
              // Connected for sure, and then dropped.
              _ = try await client.until("idle")
            }
          }
          try await group.waitForAll()
        }
        _ = await server.clients.count.first { $0 == 0 }
      }
      let after = try await server.health()

      #expect(server.clients.served == 1000)
      #expect(after.clients == 0)
      #expect(after.slots == before.slots)
      #expect(after.pending == 0)
    }
  }

  @Test func `a client that does not read costs no more than one state, and gets every group`()
    async throws
  {
    try await withServer { server in
      let groups = 150
      try server.folder.writeGroupsWithLongNames(groups, copies: 100)
      let stalled = try await server.events()
      for scan in 1...3 {
        #expect(try await server.post("folders/0/scan") == .accepted)
        let reading = try await server.events().until("finished", scan: scan)
        #expect(reading.groups.filter { $0.scan == scan }.count == groups)
      }
      // What it has had is in the buffers of the system; what it has not is where all read it.
      let health = try await server.health()
      #expect(health.pending > 0)
      #expect(health.pending <= groups + 1)
      #expect(health.dropped > 0)

      let last = try await stalled.until("finished", scan: 3)
      #expect(last.groups.filter { $0.scan == 3 }.count == groups)
    }
  }

  @Test func `a client that does not read does not keep the server from ending`() async throws {
    try await withServer { server in
      try server.folder.writeGroupsWithLongNames(150, copies: 100)
      let stalled = try await server.events()
      #expect(try await server.post("folders/0/scan") == .accepted)
      _ = try await server.events().until("finished")
      await server.group.triggerGracefulShutdown()
      try await server.hasEnded()
      withExtendedLifetime(stalled) {}
    }
  }

  @Test func `the services end in order: scans, streams, server`() async throws {
    let trace = Trace()
    try await withServer { server in
      try server.folder.writeBigFiles()
      let client = try await server.events()
      #expect(try await server.post("folders/0/scan") == .accepted)
      _ = try await client.until("running")
      await server.group.triggerGracefulShutdown()
      // The scan's end is told before the stream ends, and the stream ends before the server does.
      trace.add(try await client.until("cancelled").states.last?.phase ?? "")
      trace.add(try await client.isAtEnd() ? "end of stream" : "more")
    }
    trace.add("end of server")

    #expect(trace.entries == ["cancelled", "end of stream", "end of server"])
  }
}
