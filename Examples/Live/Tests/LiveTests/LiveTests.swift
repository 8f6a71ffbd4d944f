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
      // By these a page that connects again knows what it has.
      #expect(late.groups.map(\.index) == [0, 1])
      #expect(late.activities.map(\.number) == [1, 2])
      #expect(late.folders == early.folders)
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

  @Test func `a host is compared whole, with and without its port`() async throws {
    try await withServer { server in
      for host in ["localhost", "LOCALHOST:1", "127.0.0.1:8098", "[::1]", "[::1]:8098"] {
        let status = try await server.request(.GET, "", ["Host": host]).status
        #expect(status == .ok, "\(host)")
      }
      let others = [
        "localhost:8098.evil.example", "localhost.evil.example", "evil.example:127.0.0.1",
        "127.0.0.1:+1", "[::1]:", "::1", "localhost:8098:8098", "evil@localhost",
      ]
      for host in others {
        let status = try await server.request(.GET, "", ["Host": host]).status
        #expect(status == .forbidden, "\(host)")
      }
    }
  }

  @Test func `another address is guarded by its own name and by those it is given`() async throws {
    try await withServer(address: "0.0.0.0", hosts: ["box.example", "fd00::1"]) { server in
      for (host, expected) in [
        ("box.example:8080", HTTPResponseStatus.ok), ("[fd00::1]:8080", .ok), ("0.0.0.0", .ok),
        ("localhost", .forbidden), ("127.0.0.1", .forbidden), ("evil.example", .forbidden),
      ] {
        let status = try await server.request(.GET, "", ["Host": host]).status
        #expect(status == expected, "\(host)")
      }
    }
  }

  @Test func `a client more than the bound is told so, and the next has room`() async throws {
    try await withServer(clientLimit: 2) { server in
      // A request without a body takes no room.
      for _ in 1...5 { _ = try await server.request(.HEAD, "events") }
      let (first, second) = (try await server.events(), try await server.events())
      _ = try await (first.until("idle"), second.until("idle"))
      let refused = try await server.get("events")
      #expect(refused.status == .serviceUnavailable)
      #expect(refused.headers["retry-after"] == ["5"])
      #expect(refused.body.contains("2 pages are connected"))
      #expect(server.clients.served == 2)

      await server.group.triggerGracefulShutdown()
      #expect(try await first.isAtEnd())
    }
    try await withServer(clientLimit: 1) { server in
      for _ in 1...3 {
        // Dropped at the end of each turn: the room is given back when the server has noticed.
        _ = try await server.events().until("idle")
        _ = await server.clients.count.filter { $0 == 0 }.next()
        while server.clients.seat() == nil { await Task.yield() }
      }
    }
  }

  @Test func `HEAD answers as GET does, with no body`() async throws {
    try await withServer { server in
      for path in ["", "health", "events"] {
        let head = try await server.request(.HEAD, path)
        #expect(head.status == .ok, "\(path)")
        #expect(head.body == "")
        #expect(head.headers["content-security-policy"].count == 1)
      }
      let page = try await server.get("")
      let head = try await server.request(.HEAD, "")
      #expect(head.headers["content-length"] == page.headers["content-length"])
      let nothing = try await server.request(.HEAD, "nothing")
      #expect(nothing.status == .notFound)
    }
  }

  @Test func `errors carry the headers of the page, and say why`() async throws {
    try await withServer { server in
      let answers = [
        try await server.get("nothing"), try await server.request(.POST, "folders/1/scan"),
        try await server.request(.POST, "folders/0/cancel"),
        try await server.request(.GET, "", ["Host": "evil.example"]),
      ]
      #expect(answers.map(\.status) == [.notFound, .notFound, .conflict, .forbidden])
      let page = try await server.get("")
      for name in ["content-security-policy", "x-content-type-options", "cache-control"] {
        for answer in answers { #expect(answer.headers[name] == page.headers[name]) }
      }
      #expect(answers[1].body == #"{"error":{"message":"There is no such folder."}}"#)
      #expect(answers[2].body == #"{"error":{"message":"No scan is running."}}"#)
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
        _ = await server.clients.count.filter { $0 == 0 }.next()
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
