import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Buses with prefixes of their own, for answers and for JetStream.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(1))) struct PrefixTests {
  @Test func `a user that may read its own inbox only can do everything`() async throws {
    let server = try TestServer(
      configuration: """
        authorization { users: [
          { user: ann, password: secret, permissions: { subscribe: ["_ann.>", "game.>", "stock.>"] } },
          { user: bob, password: secret, permissions: { subscribe: ["_bob.>", "game.>", "stock.>"] } }
        ] }
        """)
    let (ann, bob) = (try await bus(server, "ann", "_ann"), try await bus(server, "bob", "_bob.x"))
    let errors = Trace<BusError>()
    for bus in [ann, bob] { hear(bus, errors) }

    try await useEverything(ann, bob)

    #expect(errors.all == [])
    // It may not read with the usual prefix.
    let (wrong, refused) = (try await bus(server, "ann", "_INBOX"), Trace<BusError>())
    hear(wrong, refused)
    guard case .notPermitted(let subject) = await refused.wait(for: 1).first else {
      Issue.record("\(refused.all)")
      return
    }
    #expect(subject.hasPrefix("_INBOX."))
  }

  private func bus(_ server: TestServer, _ user: String, _ prefix: Subject) async throws -> Bus {
    var options = BusOptions()
    options.credentials = .user(user, password: "secret")
    options.allowsPlaintextCredentials = true
    options.inboxPrefix = prefix
    options.maximumDeliveries = 1
    options.instruments = []
    return try await server.bus(options)
  }

  @Test func `a bus uses the JetStream of a domain, on its server and behind a leaf`() async throws
  {
    let port = try NATSServer.freePort()
    let hub = try TestServer(
      configuration: "jetstream { domain: hub }\nleafnodes { listen: \"127.0.0.1:\(port)\" }")
    let leaf = try TestServer(
      configuration: """
        jetstream { domain: leaf }
        leafnodes { remotes: [{ url: "nats-leaf://127.0.0.1:\(port)" }] }
        """)
    #expect(await until { (try? hub.monitored("leafz").contains("\"leafnodes\": 1")) == true })
    var options = BusOptions()
    options.jetStreamPrefix = "$JS.hub.API"
    options.maximumDeliveries = 1
    options.instruments = []
    let (near, far) = (try await hub.bus(options), try await leaf.bus(options))
    let errors = Trace<BusError>()
    for bus in [near, far] { hear(bus, errors) }

    try await useEverything(near, far)
    try await useEverything(far, near)

    #expect(errors.all == [])
    let streams = { (server: TestServer) in
      try RawClient(port: server.server.port).request("$JS.API.STREAM.NAMES", "")
    }
    for name in ["orders", "KV_signals", "KV_signal-consumers", "dead-letters"] {
      #expect(try streams(hub).contains("\"\(name)\""))
    }
    #expect(try streams(leaf).contains("\"total\":0"))
  }

  /// Traces the errors that no slot is to blame for.
  private func hear(_ bus: Bus, _ errors: Trace<BusError>) {
    bus.errors.connect(on: .inline) { error in
      switch error {
      case .slotThrew, .gaveUp: break
      default: errors.append(error)
      }
    }
  }

  /// Everything that waits for an answer, or gets messages of a stream.
  private func useEverything(_ one: Bus, _ other: Bus) async throws {
    struct Poison: Error {}
    let observer = other.answer("stock.*", of: Int.self) { $0.payload + 1 }
    try await other.flush()
    // The other server may not know of it yet.
    var answer: Int?
    while answer == nil {
      do { answer = try await one.ask(7, at: "stock.count", for: Int.self) } catch .unavailable {
        try await other.flush()
      }
    }
    #expect(answer == 8)
    observer.cancel()

    let (mine, theirs) = (try await one.stream("orders"), try await other.stream("orders"))
    let (numbers, handled, packed) = (Emitter<Int>(), Trace<Int>(), Trace<Int>())
    mine.send(numbers.signal, to: "orders.new")
    for number in 1...3 { numbers.invoke(number) }
    try await mine.flush()
    let name = try Name("n\(Int.random(in: 0..<1 << 40))")
    let billing = theirs.consumer(name, of: Int.self)
    billing.connect(throwing: { message in
      if message.payload == 2 { throw Poison() }
      handled.append(message.payload)
    })
    #expect(await handled.wait(for: 2).prefix(2) == [1, 3])
    let packing = theirs.consumer(try Name("\(name)-packing"), of: Int.self, isShared: true)
    packing.connect(on: .inline) { packed.append($0.payload) }
    #expect(await packed.wait(for: 3).prefix(3) == [1, 2, 3])

    let title = try await one.value("title", of: Int.self, initially: 0)
    let same = try await other.value("title", of: Int.self, initially: 0)
    let before = title.value
    try await title.modify { $0 += 1 }
    try await title.set(before + 2)
    #expect(await until { same.value == before + 2 })
    #expect(try await one.valueNames() == ["title"])
    try await other.removeValue("title")
    #expect(try await one.valueNames() == [])
  }
}
