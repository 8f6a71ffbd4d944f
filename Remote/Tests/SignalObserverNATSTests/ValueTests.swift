import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct ValueTests {
  @Test(arguments: Kind.allCases)
  func `connecting delivers the current value first, and then the sets of every process`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(), try await server.bus())
    let title = try await one.value("config.title", of: String.self, initially: "News")
    try await title.set("Today")
    let same = try await other.value("config.title", of: String.self, initially: "unused")
    let (here, there) = (Trace<String>(), Trace<String>())
    title.connect(on: .inline) { here.append($0) }
    same.connect(on: .inline) { there.append($0) }
    #expect(there.all == ["Today"])

    try await same.set("Tomorrow")
    title.value = "Later"

    #expect(await until { there.all.last == "Later" && here.all.last == "Later" })
    #expect(there.all == ["Today", "Tomorrow", "Later"])
    #expect(here.all.suffix(3) == ["Today", "Tomorrow", "Later"])
  }

  @Test(arguments: Kind.allCases)
  func `sets of several processes come in one order, and everybody ends on the newest`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let buses = [try await server.bus(), try await server.bus(), try await server.bus()]
    var values: [RemoteValue<Int>] = []
    for bus in buses { values.append(try await bus.value("n", of: Int.self, initially: 0)) }
    let traces = values.map { _ in Trace<Int>() }
    for (value, trace) in zip(values, traces) { value.connect(on: .inline) { trace.append($0) } }

    try await withThrowingTaskGroup { group in
      for (index, value) in values.enumerated() {
        group.addTask { for n in 1...100 { try await value.set(index * 1000 + n) } }
      }
      try await group.waitForAll()
    }

    let revision = values.map(\.revision).max() ?? 0
    #expect(await until { values.allSatisfy { $0.revision == revision } })
    let newest = values[0].value
    #expect(await until { traces.allSatisfy { $0.all.last == newest } })
    // A busy slot may be spared old values, and sees no two in another order than the others.
    for one in traces {
      for other in traces {
        let (mine, theirs) = (one.all, other.all)
        #expect(mine.filter(Set(theirs).contains) == theirs.filter(Set(mine).contains))
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `a value survives the server, and sets made meanwhile end on the last`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let value = try await bus.value("n", of: Int.self, initially: 1)
    let trace = Trace<Int>()
    value.connect(on: .inline) { trace.append($0) }

    server.server.kill()
    for number in 2...9 { value.value = number }
    try server.server.start()

    #expect(await until { trace.all.last == 9 })
    let again = try await server.bus().value("n", of: Int.self, initially: 0)
    #expect(again.value == 9)
  }

  @Test(arguments: Kind.allCases)
  func `R7: two processes that modify one value at once end on the sum`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let count = kind == .inMemory ? 1000 : isFull ? 10_000 : 4000
    let bus = try await server.bus()
    let sum = try await bus.value("sum", of: Int.self, initially: 0)

    let peers = try (0..<2).map { _ in try Peer(["modify", server.server.url, "sum", "\(count)"]) }
    for peer in peers { #expect(await peer.hasPrinted("done")) }

    #expect(await until { sum.value == 2 * count })
  }

  @Test(arguments: Kind.allCases)
  func `R7: a value that this program cannot decode is not modified, and can be set`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(.quick()), try await server.bus(.quick()))
    let theirs = try await other.value("n", of: [Int].self, initially: [1])
    let mine = try await one.value("n", of: Int.self, initially: 7)
    let expectFailure = {
      _ = await #expect {
        try await mine.modify { $0 += 1 }
      } throws: { error in
        if case BusError.undecodable("$KV.signals.n", _, _) = error { true } else { false }
      }
    }

    await expectFailure()
    try await theirs.modify { $0.append(2) }
    await expectFailure()

    #expect(theirs.value == [1, 2])
    try await mine.set(3)
    try await mine.modify { $0 += 1 }
    #expect(mine.value == 4)
    // The other program cannot decode that.
    await #expect(throws: BusError.self) { try await theirs.modify { $0.append(3) } }
    #expect(try await one.value("n", of: Int.self, initially: 0).value == 4)
  }

  @Test(arguments: Kind.allCases)
  func `values are listed and deleted, and a set makes one again`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(), try await server.bus())
    let names = { try await one.valueNames().map(\.text).sorted() }
    #expect(try await names() == [])
    let title = try await one.value("config.title", of: String.self, initially: "News")
    let visits = try await one.value("visits", of: Int.self, initially: 0)
    for _ in 0..<3 { try await visits.modify { $0 += 1 } }
    #expect(try await names() == ["config.title", "visits"])

    try await other.removeValue("visits")
    try await other.removeValue("visits")
    try await other.removeValue("nothing")
    #expect(try await names() == ["config.title"])
    #expect(visits.value == 3)
    let made = try await other.value("visits", of: Int.self, initially: 7)
    #expect(made.value == 7)
    #expect(await until { visits.value == 7 })
    try await visits.modify { $0 += 1 }
    #expect(try await names() == ["config.title", "visits"])

    try await other.removeValue("config.title")
    try await title.set("Today")
    #expect(try await names() == ["config.title", "visits"])
  }

  // Nothing says that the value was deleted, as if its messages were too old.
  @Test func `a value that the servers no longer have is modified as this process knows it`()
    async throws
  {
    let server = try TestServer()
    let (bus, raw) = (try await server.bus(), try RawClient(port: server.server.port))
    let value = try await bus.value("n", of: Int.self, initially: 1)
    try await value.set(2)
    _ = try raw.request("$JS.API.STREAM.PURGE.KV_signals", "")

    try await value.modify { $0 += 10 }

    #expect(value.value == 12)
  }

  @Test func `a value whose last message the servers have lost is modified as they know it`()
    async throws
  {
    let (server, files) = (try TestServer(), FileManager.default)
    let store = server.folder.appending(path: "jetstream")
    let copy = server.folder.appending(path: "copy")
    let bus = try await server.bus()
    let value = try await bus.value("n", of: Int.self, initially: 1)
    try await value.set(2)
    server.server.kill()
    try files.copyItem(at: store, to: copy)
    try server.server.start()
    try await value.set(3)
    server.server.kill()
    try files.removeItem(at: store)
    try files.moveItem(at: copy, to: store)
    #expect(await until { bus.state.value == .reconnecting })
    try server.server.start()
    #expect(await until { bus.state.value == .connected })

    try await value.modify { $0 += 10 }

    #expect(try await server.bus().value("n", of: Int.self, initially: 0).value == 12)
  }
}
