import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// The table of the README, read from it: each role works with what it says, and reports no denial.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(1))) struct PermissionTests {
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
    #expect(await received.wait(for: 1, seconds: 10) == [3])

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
    #expect(await handled.wait(for: 3, seconds: 20).suffix(2) == [1, 3])
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
    #expect(await packed.wait(for: 3, seconds: 20) == [0, 1, 3])
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
    #expect(await until(seconds: 10) { title.value == "News!" })

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
