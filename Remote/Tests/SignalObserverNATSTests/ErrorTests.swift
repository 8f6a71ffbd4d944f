import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Every failure is an error that somebody sees.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ErrorTests {
  private var quick: BusOptions {
    var options = BusOptions()
    options.timeout = .milliseconds(500)
    options.patience = .seconds(2)
    options.log = nil
    return options
  }

  @Test func `a server without JetStream is an error`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try NATSServer(store: folder, hasJetStream: false)
    let bus = try await Bus(server.url, options: quick)

    await #expect { try await bus.stream("orders") } throws: { error in
      if case BusError.unavailable = error { true } else { false }
    }
    await #expect { try await bus.value("n", of: Int.self, initially: 0) } throws: { error in
      if case BusError.unavailable = error { true } else { false }
    }
  }

  @Test func `what the server does not permit is an error, of each kind`() async throws {
    let server = try TestServer(
      configuration: """
        authorization { users: [{ user: ann, password: secret, permissions: {
          publish: { deny: ["denied", "$JS.API.STREAM.CREATE.>", "orders.denied"] },
          subscribe: { deny: "secrets.>" } } }] }
        """)
    var options = quick
    options.credentials = .user("ann", password: "secret")
    options.allowsPlaintextCredentials = true
    let bus = try await server.bus(options)
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    let numbers = Emitter<Int>()
    bus.send(numbers.signal, to: "denied")
    let secrets = bus.signal("secrets.>", of: Int.self)
    for number in 0..<100 { numbers.invoke(number) }
    try await bus.flush()

    #expect(await until { errors.all.contains(.notPermitted(subject: "denied")) })
    #expect(await until { errors.all.contains(.notPermitted(subject: "secrets.>")) })
    await #expect(throws: BusError.notPermitted(subject: "$JS.API.STREAM.CREATE.orders")) {
      try await bus.stream("orders")
    }
    withExtendedLifetime(secrets) {}
  }

  @Test func `a message that a stream does not take is an error, and those behind it are stored`()
    async throws
  {
    let server = try TestServer()
    let bus = try await server.bus(quick)
    let orders = try await bus.stream("orders")
    let raw = try RawClient(port: server.server.port)
    _ = try raw.request(
      "$JS.API.STREAM.UPDATE.orders",
      #"{"name":"orders","subjects":["orders.>"],"storage":"file","max_msg_size":200}"#)
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    let payloads = Emitter<[UInt8]>()
    orders.send(payloads.signal, to: "orders.new", as: .bytes)

    payloads.invoke([UInt8](repeating: 1, count: 1000))
    payloads.invoke([1])
    try await orders.flush()

    guard case .refused("orders.new", 10054, _) = await errors.wait(for: 1).first else {
      Issue.record("\(errors.all)")
      return
    }
    #expect(errors.count == 1)
  }

  @Test func `a value as large as the server takes is an error, and the next is set`() async throws
  {
    let server = try TestServer()
    let bus = try await server.bus(quick)
    let value = try await bus.value("n", of: [UInt8].self, initially: [], as: .bytes)

    await #expect(throws: BusError.self) {
      try await value.set([UInt8](repeating: 1, count: bus.maximumSize))
    }
    try await value.set([1])

    #expect(value.value == [1])
    #expect(bus.state.value == .connected)
  }

  @Test func `a subject that no stream keeps is an error, and the bus closes in its time`()
    async throws
  {
    let server = try TestServer()
    let bus = try await server.bus(quick)
    let orders = try await bus.stream("orders")
    let numbers = Emitter<Int>()
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    orders.send(numbers.signal, to: "elsewhere")

    numbers.invoke(1)

    await #expect(throws: BusError.self) { try await orders.flush() }
    #expect(await bus.close(within: .milliseconds(200)) == 1)
    #expect(await until { errors.all.contains(.lost(count: 1, subject: nil, because: .closed)) })
  }

  @Test func `closing waits until the servers have everything`() async throws {
    let server = try TestServer()
    let bus = try await server.bus(quick)
    let orders = try await bus.stream("orders")
    let numbers = Emitter<Int>()
    orders.send(numbers.signal, to: "orders.new")
    for number in 0..<20_000 { numbers.invoke(number) }

    #expect(await bus.close(within: .seconds(30)) == 0)

    let raw = try RawClient(port: server.server.port)
    #expect(
      try raw.request("$JS.API.STREAM.INFO.orders", "").contains("\"messages\":20000,"))
  }

  @Test func `the errors of before somebody listens are kept, the last 64`() async throws {
    let server = try TestServer()
    let logged = Trace<BusError>()
    var options = quick
    options.log = { logged.append($0) }
    let bus = try await server.bus(options)
    let tooLarge = Emitter<[UInt8]>()
    bus.send(tooLarge.signal, to: "n", as: .bytes)
    let limit = bus.maximumSize
    for size in 1...100 { tooLarge.invoke([UInt8](repeating: 0, count: limit + size)) }
    #expect(await until { logged.count == 100 })
    let errors = Trace<BusError>()

    bus.errors.connect(on: .inline) { errors.append($0) }

    #expect(
      await errors.wait(for: 64)
        == (37...100).map { .tooLarge(subject: "n", size: limit + $0, limit: limit) })
  }

  @Test func `a disk that is full is an error, and what is stored stays`() async throws {
    let server = try TestServer(configuration: "jetstream { max_file_store: 1MB }")
    let bus = try await server.bus(quick)
    let orders = try await bus.stream("orders")
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    let payloads = Emitter<[UInt8]>()
    orders.send(payloads.signal, to: "orders.new", as: .bytes)

    for _ in 0..<20 { payloads.invoke([UInt8](repeating: 1, count: 100_000)) }
    _ = try? await orders.flush()

    #expect(
      errors.all.contains { if case .refused("orders.new", _, _) = $0 { true } else { false } })
    let raw = try RawClient(port: server.server.port)
    let info = try raw.request("$JS.API.STREAM.INFO.orders", "")
    let stored = info.split(separator: "\"messages\":").dropFirst().first?.prefix { $0.isNumber }
    let count = stored.flatMap { Int($0) } ?? 0
    // Each is stored or announced, and none is both.
    let refused = errors.all.filter { if case .refused = $0 { true } else { false } }.count
    #expect(count > 0)
    #expect(count + refused == 20)
  }
}
