import Foundation
import Logging
import NATSServer
import ServiceLifecycle
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSLifecycle
import SignalObserverNATSLogging
import SignalObserverNATSMetrics
import SignalObserverNATSTesting
import SignalObserverNATSTracing
import Testing
import UnixSignals

// What README.md shows, compiled and run.

private final class Player: Sendable {
  private let scored = Emitter<Int>()
  var scoreChanged: Signal<Int> { scored.signal }
  func goal(_ score: Int) { scored.invoke(score) }
}

private struct Order: RawRepresentable, Codable, Sendable {
  let rawValue: Int
  var tenant: String { "\(rawValue % 10)" }
}

private final class Shop: Sendable {
  let orders = Emitter<Order>()
  var ordered: Signal<Order> { orders.signal }
  func order(_ number: Int) { orders.invoke(Order(rawValue: number)) }
}

/// A service that ends its group.
private struct Shutdown: Service {
  struct Over: Error {}

  func run() async throws { throw Over() }
}

private func charge(_ order: Order) async throws {}

private struct Item: Codable, Sendable {
  var name: String
}

private struct Warehouse: Sendable {
  func count(_ item: Item) async throws -> Int { item.name.utf8.count }
}

private struct Ticket: Codable, Sendable {
  var price: Int
  var currency: String
}

@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct ReadmeTests {
  @Test(arguments: Kind.allCases)
  func `signals`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let address = server.server.url
    let player = Player()
    let trace = Trace<String>()
    @Sendable func print(_ subject: String, _ score: Int) { trace.append("\(subject) \(score)") }

    // snippet.signals
    let bus = try await Bus(address)  // "nats://127.0.0.1:4222", or several of one cluster
    let scores = bus.signal("game.*.score", of: Int.self)
    scores.connect(on: .inline) { message in print(message.subject, message.payload) }
    bus.send(player.scoreChanged, to: "game.7.score")
    // snippet.end
    player.goal(3)

    #expect(await trace.wait(for: 1) == ["game.7.score 3"])
  }

  @Test(arguments: Kind.allCases)
  func `streams`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let shop = Shop()

    // snippet.streams
    let orders = try await bus.stream("orders")  // keeps the subjects orders.>
    orders.send(shop.ordered, to: "orders.new")
    let billing = orders.consumer("billing", of: Order.self)
    billing.connect(throwing: { message in try await charge(message.payload) })
    // snippet.end
    shop.orders.invoke(Order(rawValue: 1))
    try await orders.flush()

    #expect(await until { billing.handledSequence == 1 })
  }

  @Test(arguments: Kind.allCases)
  func `workers`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let shop = Shop()
    let packed = Trace<Int>()
    @Sendable func pack(_ order: Order) async throws { packed.append(order.rawValue) }
    let file = server.folder.appending(path: "packed").path
    let orders = try await bus.stream("orders")
    orders.send(shop.ordered, to: "orders.new")
    let other = try Peer(["work", server.server.url, "orders", "packing", file, "0"])
    for number in 0..<100 { shop.orders.invoke(Order(rawValue: number)) }
    // It is in the middle of its first order.
    #expect(await other.hasPrinted("paused 0"))

    // snippet.workers
    let packing = orders.consumer("packing", of: Order.self, isShared: true)
    packing.connect(throwing: { message in try await pack(message.payload) })
    // snippet.end
    #expect(await packed.wait(for: 99).sorted() == Array(1..<100))
    other.kill()

    #expect(await packed.wait(for: 100).last == 0)
    #expect(numbersIn(file) == [])
  }

  @Test(arguments: Kind.allCases)
  func `questions`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let (warehouse, item) = (Warehouse(), Item(name: "apple"))

    // snippet.questions
    bus.answer("stock.count", of: Item.self) { message in
      try await warehouse.count(message.payload)
    }
    let count = try await bus.ask(item, at: "stock.count", for: Int.self, within: .seconds(1))
    // snippet.end

    #expect(count == 5)
  }

  @Test(arguments: Kind.allCases)
  func `headers`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let shop = Shop()
    let trace = Trace<String>()
    @Sendable func print(_ text: String) { trace.append(text) }

    // snippet.headers
    bus.send(
      shop.ordered, to: "orders.new",
      headers: { order in try MessageHeaders(["Tenant": order.tenant]) })
    bus.signal("orders.*", of: Order.self).connect(on: .inline) { message in
      print(message.headers["tenant"] ?? "nobody")
    }
    // snippet.end
    shop.orders.invoke(Order(rawValue: 17))

    #expect(await trace.wait(for: 1) == ["7"])
  }

  @Test(arguments: Kind.allCases)
  func `instruments`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let address = server.server.url
    let (logger, shop) = (Logger(label: "readme"), Shutdown())

    func run() async throws {
      // snippet.instruments
      var options = BusOptions()
      options.instruments = [.logging(to: logger), .metrics(), .tracing()]
      let bus = try await Bus(address, options: options)
      let services = ServiceGroup(
        services: [BusService(bus), shop], gracefulShutdownSignals: [.sigterm], logger: logger)
      try await services.run()
      // snippet.end
    }

    await #expect(throws: Shutdown.Over.self) { try await run() }
  }

  @Test(arguments: Kind.allCases)
  func `values`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let trace = Trace<String>()
    @Sendable func print(_ title: String) { trace.append(title) }

    // snippet.values
    let title = try await bus.value("config.title", of: String.self, initially: "News")
    title.connect(on: .inline) { title in print(title) }  // News, or the current title
    title.value = "Today"  // everywhere
    let visits = try await bus.value("visits", of: Int.self, initially: 0)
    try await visits.modify { $0 += 1 }  // compare and set, among all processes
    // snippet.end

    #expect(await trace.wait(for: 2) == ["News", "Today"])
    #expect(visits.value == 1)
  }

  @Test func `in memory`() async throws {
    let seller = Shop()

    // snippet.inMemory
    let server = try InMemoryServer()
    let (shop, office) = (try await server.bus(), try await server.bus())
    let orders = try await shop.stream("orders")
    orders.send(seller.ordered, to: "orders.new")
    let billing = try await office.stream("orders").consumer("billing", of: Order.self)
    billing.connect(throwing: { message in try await charge(message.payload) })
    server.stop()  // as if it was killed
    seller.order(1)
    try server.start()  // with the streams that it had
    // snippet.end

    #expect(await until { billing.handledSequence == 1 })
  }

  @Test(arguments: Kind.allCases)
  func `snapshots`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let trace = Trace<String>()
    @Sendable func print(_ snapshot: BusSnapshot) { trace.append("\(snapshot)") }

    // snippet.snapshots
    print(await bus.snapshot())
    // snippet.end

    #expect(trace.all.first?.hasPrefix("connected\n  \(server.server.url)  connected\n") == true)
  }

  @Test(arguments: Kind.allCases)
  func `payloads`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let trace = Trace<String>()

    // snippet.payloads
    // Older programs send tickets without a currency.
    let tickets = Coding.json(defaults: Ticket(price: 0, currency: "EUR"))
    let sold = bus.signal("tickets.sold", of: Ticket.self, as: tickets)
    // snippet.end
    sold.connect(on: .inline) { trace.append("\($0.payload.price) \($0.payload.currency)") }
    try await bus.flush()
    let older = Emitter<[String: Int]>()
    bus.send(older.signal, to: "tickets.sold")
    older.invoke(["price": 20])

    #expect(await trace.wait(for: 1) == ["20 EUR"])
  }
}
