import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// The table of the README, read from it: each role works with what it says, and reports no denial.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct PermissionTests {
  @Test func `each role does its work with the permissions that the README grants`() async throws {
    let server = try TestServer(configuration: try configuration())
    let admin = try await bus(server, "admin")
    // Who makes what the others use.
    let orders = try await admin.stream("orders")
    _ = try await admin.stream("dead-letters")
    _ = try await admin.value("title", of: String.self, initially: "News")
    try await warmUp(orders)
    let denials = Trace<String>()
    @Sendable func hear(_ bus: Bus, _ role: String) {
      bus.errors.connect(on: .inline) { error in
        if case .notPermitted(let subject) = error { denials.append("\(role): \(subject)") }
      }
    }

    let (sender, receiver) = (try await bus(server, "sender"), try await bus(server, "receiver"))
    hear(sender, "sender")
    hear(receiver, "receiver")
    let (scores, received) = (Emitter<Int>(), Trace<Int>())
    receiver.signal("game.*.score", of: Int.self).connect(on: .inline) {
      received.append($0.payload)
    }
    try await receiver.flush()
    sender.send(scores.signal, to: "game.7.score")
    scores.invoke(3)
    #expect(await received.wait(for: 1) == [3])

    let storing = try await bus(server, "storing")
    hear(storing, "storing")
    let ordered = Emitter<Int>()
    let stored = try await storing.stream("orders")
    stored.send(ordered.signal, to: "orders.new")
    for number in 1...3 { ordered.invoke(number) }
    try await stored.flush()

    struct Poison: Error {}
    var options = BusOptions()
    options.maximumDeliveries = 1
    let consuming = try await bus(server, "consuming", options)
    hear(consuming, "consuming")
    let handled = Trace<Int>()
    try await consuming.stream("orders").consumer("billing", of: Int.self).connect(throwing: {
      message in
      if message.payload == 2 { throw Poison() }
      handled.append(message.payload)
    })
    #expect(await handled.wait(for: 3).suffix(2) == [1, 3])
    let raw = try RawClient(port: server.server.port, user: "admin")
    let letters = try raw.request("$JS.API.STREAM.INFO.dead-letters", "")
    #expect(letters.contains("\"messages\":1,"))

    let working = try await bus(server, "working", options)
    hear(working, "working")
    let packed = Trace<Int>()
    try await working.stream("orders").consumer("packing", of: Int.self, isShared: true).connect(
      throwing: { message in
        if message.payload == 2 { throw Poison() }
        packed.append(message.payload)
      })
    #expect(await packed.wait(for: 3) == [0, 1, 3])
    #expect(
      try raw.request("$JS.API.STREAM.INFO.dead-letters", "").contains("\"messages\":2,"))

    let watching = try await bus(server, "snapshots", options)
    hear(watching, "snapshots")
    let watched = try await watching.stream("orders")
    let seen = watched.consumer("watching", of: Int.self)
    seen.map(\.payload).connect(on: .inline) { _ in }
    let shared = watched.consumer("packing", of: Int.self, isShared: true)
    shared.map(\.payload).connect(on: .inline) { _ in }
    #expect(await until { seen.handledSequence == 4 })
    #expect(await watching.snapshot().consumers.map(\.lag) == [0, 0])

    let (asking, answering) = (try await bus(server, "asking"), try await bus(server, "answering"))
    hear(asking, "asking")
    hear(answering, "answering")
    answering.answer("stock.*", of: Int.self) { $0.payload + 1 }
    try await answering.flush()
    #expect(try await asking.ask(7, at: "stock.count", for: Int.self) == 8)

    let setting = try await bus(server, "setting")
    hear(setting, "setting")
    let title = try await setting.value("title", of: String.self, initially: "")
    try await title.modify { $0 += "!" }
    #expect(await until { title.value == "News!" })

    #expect(denials.all == [])
  }

  @Test func `a refused answer fails no question of the bus that may not answer`() async throws {
    let server = try TestServer(
      configuration: """
        authorization { users: [
          { user: admin, password: secret }
          { user: mute, password: secret, permissions: { publish: { deny: "_INBOX.>" } } }
        ] }
        """)
    let (mute, other) = (try await bus(server, "mute"), try await bus(server, "admin"))
    let (asked, refused) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    mute.errors.connect(on: .inline) { error in
      if case .notPermitted = error { refused.continuation.yield() }
    }
    mute.answer("own", of: Int.self) { $0.payload }
    other.answer("theirs", of: Int.self) { message in
      asked.continuation.yield()
      for await _ in refused.stream { break }
      return message.payload
    }
    for bus in [mute, other] { try await bus.flush() }

    async let theirs = mute.ask(7, at: "theirs", for: Int.self)
    for await _ in asked.stream { break }
    // The bus answers itself, and the server refuses the answer, which is for this bus.
    await #expect(throws: BusError.timeout(subject: "own")) {
      try await mute.ask(8, at: "own", for: Int.self, within: .milliseconds(500))
    }
    #expect(try await theirs == 7)
  }

  @Test(arguments: [
    "a\"b", "a\\b", "\u{200B}", "\u{F0000}", String(repeating: "x", count: 300),
    String(repeating: "xé", count: 150),
  ])
  func `a refused message of any subject keeps no other one from a stream`(token: String)
    async throws
  {
    let server = try TestServer(
      configuration: """
        authorization { users: [{ user: ann, password: secret, permissions: {
          publish: { allow: ["$JS.API.>", "orders.ok", "_INBOX.>"] } } }] }
        """)
    var options = BusOptions.patient
    options.instruments = []
    let bus = try await bus(server, "ann", options)
    let orders = try await bus.stream("orders")
    let refused = try Subject("orders.\(token)")

    try await orders.emit(1, to: refused)
    try await orders.emit(2, to: "orders.ok")

    try await orders.flush()
    await #expect(throws: BusError.notPermitted(subject: refused.text)) {
      try await bus.ask(1, at: refused, for: Int.self)
    }
  }

  /// Marks and the dead letters' stream exist, as where a consumer has run before.
  private func warmUp(_ orders: RemoteStream) async throws {
    let numbers = Emitter<Int>()
    orders.send(numbers.signal, to: "orders.old")
    numbers.invoke(0)
    let first = orders.consumer("first", of: Int.self)
    let observer = first.connect(on: .inline) { _ in }
    #expect(await until { first.handledSequence == 1 })
    observer.cancel()
  }

  private func bus(
    _ server: TestServer, _ user: String, _ options: BusOptions = BusOptions()
  ) async throws -> Bus {
    var options = options
    options.credentials = .user(user, password: "secret")
    options.allowsPlaintextCredentials = true
    return try await server.bus(options)
  }

  /// The server's users, as the README's table has them, and one who may do everything.
  private func configuration() throws -> String {
    let readme = URL(fileURLWithPath: #filePath).appending(path: "../../../README.md").standardized
    let text = try String(contentsOf: readme, encoding: .utf8)
    let table = text.components(separatedBy: "## Permissions").dropFirst().first ?? ""
    var users = ["{ user: admin, password: secret }"]
    var granted: [Substring: String] = [:]
    for line in table.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { subjects(in: String($0)) }
      guard cells.count == 3, let role = line.split(separator: " ").dropFirst().first,
        !cells[1].isEmpty || !cells[2].isEmpty
      else { continue }
      // An empty list would grant everything.
      var (publish, subscribe) = (cells[1].isEmpty ? "\"nothing\"" : cells[1], cells[2])
      if role == "snapshots" {
        publish += ", \(granted["consuming", default: ""]), \(granted["working", default: ""])"
        subscribe = "\"_INBOX.>\""
      }
      granted[role] = publish
      users.append(
        "{ user: \(role), password: secret, permissions: "
          + "{ publish: [\(publish)], subscribe: [\(subscribe)] } }")
    }
    #expect(users.count == 10)
    return "authorization { users: [\n\(users.joined(separator: "\n"))\n] }"
  }

  /// The texts between backticks of a cell, as a list for the server.
  private func subjects(in cell: String) -> String {
    let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 }.map { "\"\(parts[$0])\"" }.joined(separator: ", ")
  }
}

/// Buses with prefixes of their own, for answers and for JetStream.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct PrefixTests {
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
