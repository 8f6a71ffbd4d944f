import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Every failure is an error that somebody sees.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct ErrorTests {
  private var quick: BusOptions {
    var options = BusOptions()
    options.timeout = .milliseconds(500)
    options.patience = .seconds(2)
    options.instruments = []
    return options
  }

  /// For tests that wait for no server that is silent.
  private var patient: BusOptions {
    var options = BusOptions.patient
    options.instruments = []
    return options
  }

  @Test func `a server without JetStream is an error`() async throws {
    let folder = try Watchdog.makeFolder()
    defer { Watchdog.removeFolder(folder) }
    let server = try NATSServer(store: folder, hasJetStream: false)
    let bus = try await connectedBus(to: [server.url], quick)

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
    var options = patient
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

  @Test func `a subscription that is refused harms nothing that is sent to its subject`()
    async throws
  {
    let server = try TestServer(
      configuration: """
        authorization { users: [{ user: ann, password: secret, permissions: {
          publish: ">", subscribe: { deny: ["orders.new", "stock.count"] } } },
          { user: bob, password: secret }] }
        """)
    var options = patient
    options.allowsPlaintextCredentials = true
    options.credentials = .user("bob", password: "secret")
    let near = try await server.bus(options)
    options.credentials = .user("ann", password: "secret")
    let bus = try await server.bus(options)
    let (errors, asked) = (Trace<BusError>(), Trace<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    let (gate, open) = AsyncStream.makeStream(of: Never.self)
    near.answer("stock.count", of: Int.self) { message in
      asked.append(message.payload)
      for await _ in gate {}
      return message.payload
    }
    try await near.flush()
    let orders = try await bus.stream("orders")
    let numbers = Emitter<Int>()
    orders.send(numbers.signal, to: "orders.new")
    let answer = Task {
      try await bus.ask(7, at: "stock.count", for: Int.self, within: .seconds(50))
    }
    #expect(await asked.wait(for: 1) == [7])

    for number in 0..<5000 { numbers.invoke(number) }
    let refused = ["orders.new", "stock.count"].map { (subject: SubjectPattern) in
      bus.signal(subject, of: Int.self)
    }
    let expected: Set<BusError> = [
      .notPermitted(subject: "orders.new"), .notPermitted(subject: "stock.count"),
    ]
    #expect(await until { Set(errors.all) == expected })
    open.finish()

    #expect(try await answer.value == 7)
    try await orders.flush()
    let admin = try RawClient(port: server.server.port, user: "bob")
    #expect(
      try admin.request("$JS.API.STREAM.INFO.orders", "").contains("\"messages\":5000,"))
    #expect(Set(errors.all) == expected)
    withExtendedLifetime(refused) {}
  }

  @Test func `a permission that is taken and given back is noticed, and each loss is counted`()
    async throws
  {
    func configuration(_ permissions: String) -> String {
      """
      authorization { users: [
        { user: ann, password: secret\(permissions) }, { user: bob, password: secret }] }
      """
    }
    let server = try TestServer(configuration: configuration(""))
    var options = quick
    options.pingInterval = .milliseconds(200)
    options.allowsPlaintextCredentials = true
    options.credentials = .user("ann", password: "secret")
    let bus = try await server.bus(options)
    let raw = try RawClient(port: server.server.port, user: "bob")
    let (errors, received, numbers) = (Trace<BusError>(), Trace<Int>(), Emitter<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    bus.signal("in.*", of: Int.self).connect(on: .inline) { received.append($0.payload) }
    bus.send(numbers.signal, to: "out")
    try await bus.flush()
    let lost = {
      errors.all.reduce(0) {
        if case .lost(let count, "out", .notPermitted) = $1 { $0 + count } else { $0 }
      }
    }
    let denied = { errors.all.filter { $0 == .notPermitted(subject: "in.*") }.count }

    for round in 1...2 {
      try server.reload(
        configuration(#", permissions: { publish: { deny: "out" }, subscribe: { deny: "in.*" } }"#))
      #expect(await until { denied() == round })
      for number in 0..<1000 { numbers.invoke(number) }
      #expect(await until { lost() == round * 1000 })

      try server.reload(configuration(""))
      let count = received.count
      #expect(
        await until {
          try? raw.publish("in.1", "7")
          return received.count > count
        })
      // The bus takes a subscription for permitted when it was not refused for `pingInterval`.
      try await Task.sleep(for: .milliseconds(600))
    }
    numbers.invoke(7)
    try await bus.flush()
    #expect(lost() == 2000)
    #expect(denied() == 2)
  }

  @Test func `a credential that expires is reported once, until it works again`() async throws {
    // The server takes the credential if there is an even number of changes.
    let (changes, attempts) = (Trace<Void>(), Trace<Void>())
    let server = try FakeServer { line, answer in
      if line.hasPrefix("CONNECT") { attempts.append(()) }
      guard line == "PING" else { return }
      answer(changes.count % 2 == 0 ? "PONG\r\n" : "-ERR 'User Authentication Expired'\r\n")
    }
    var options = patient
    // The bus looks four times in each timeout whether to ping the server.
    options.timeout = .seconds(5)
    options.pingInterval = .milliseconds(100)
    let bus = try await Bus(server.url, options: options)
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }

    for round in 1...2 {
      changes.append(())
      let count = attempts.count
      #expect(await until { attempts.count > count + 5 })
      changes.append(())
      #expect(await until { bus.state.value == .connected })
      let expired = BusError.connection(
        reason: "\(server.url): Authentication Violation: User Authentication Expired")
      #expect(errors.all == Array(repeating: expired, count: round))
    }
  }

  @Test(arguments: Kind.allCases)
  func `an error of a connection names its server`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let url = server.server.url
    let names = { (error: any Error) in
      if case BusError.connection(let reason) = error { reason.contains(url) } else { false }
    }
    let bus = try await server.bus(quick)
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }

    server.server.pause()
    await #expect { _ = try await bus.value("n", of: Int.self, initially: 1) } throws: { _ in true }
    server.server.kill()

    await #expect { try await server.bus(quick) } throws: { names($0) }
    #expect(await errors.wait(for: 1).count >= 1)
    #expect(errors.all.allSatisfy { if case .connection = $0 { names($0) } else { true } })
  }

  @Test func `a question to a server that has just gone names it`() async throws {
    let server = try FakeServer { line, answer in if line == "PING" { answer("PONG\r\n") } }
    let bus = try await connectedBus(to: [server.url], quick)
    let reasons = Trace<String>()

    for _ in 0..<20 {
      #expect(await until { bus.state.value == .connected })
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask {
            do {
              _ = try await bus.ask(1, at: "n", for: Int.self, within: .milliseconds(50))
            } catch {
              if case BusError.connection(let reason) = error { reasons.append(reason) }
            }
          }
        }
        server.cut()
      }
    }

    #expect(reasons.count > 0)
    #expect(reasons.all.filter { !$0.hasPrefix(server.url) } == [])
  }

  @Test(arguments: Kind.allCases)
  func `a message that a stream does not take is an error, and those behind it are stored`(
    kind: Kind
  )
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus(patient)
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

  @Test(arguments: [#""max_msgs":3"#, #""max_bytes":500"#], Kind.allCases)
  func `a message that a full stream discards is an error`(limit: String, kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus(patient)
    let orders = try await bus.stream("orders")
    let raw = try RawClient(port: server.server.port)
    let answer = try raw.request(
      "$JS.API.STREAM.UPDATE.orders",
      #"{"name":"orders","subjects":["orders.>"],"storage":"file","discard":"new",\#(limit)}"#)
    #expect(!answer.contains("error"))
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    let numbers = Emitter<Int>()
    orders.send(numbers.signal, to: "orders.new")

    for number in 0..<20 { numbers.invoke(number) }
    try await orders.flush()

    // Each is stored or announced, and none is both.
    let count = try stored(in: "orders", of: server.server)
    #expect(count > 0)
    let refused = {
      errors.all.filter { if case .refused("orders.new", 10077, _) = $0 { true } else { false } }
    }
    #expect(await until { refused().count == 20 - count })
    #expect(errors.count == refused().count)
  }

  @Test(arguments: Kind.allCases)
  func `a value as large as the server takes is an error, and the next is set`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus(patient)
    let value = try await bus.value("n", of: [UInt8].self, initially: [], as: .bytes)

    await #expect(throws: BusError.self) {
      try await value.set([UInt8](repeating: 1, count: bus.maximumSize))
    }
    try await value.set([1])

    #expect(value.value == [1])
    #expect(bus.state.value == .connected)
  }

  /// With somebody who listens to the subject, the servers say nothing at all.
  @Test(arguments: [false, true], Kind.allCases)
  func `an emission to a subject that its stream does not keep is refused, and the rest is stored`(
    isHeard: Bool, kind: Kind
  ) async throws {
    let server = try TestServer(kind)
    var options = quick
    options.patience = .seconds(30)
    let bus = try await server.bus(options)
    let orders = try await bus.stream("orders")
    let (numbers, strays, errors) = (Emitter<Int>(), Emitter<Int>(), Trace<BusError>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    orders.send(numbers.signal, to: "orders.new")
    orders.send(strays.signal, to: "elsewhere")
    let listener = isHeard ? bus.signal("elsewhere", of: Int.self) : nil
    try await bus.flush()

    for number in 0..<600 {
      numbers.invoke(number)
      if number == 100 { strays.invoke(7) }
    }

    try await orders.flush()
    #expect(try stored(in: "orders", of: server.server) == 600)
    #expect(
      await errors.wait(for: 1) == [
        .refused(
          subject: "elsewhere", code: 0, reason: "the stream orders does not keep it; lost: 1")
      ])
    #expect(await bus.close(within: .seconds(30)) == 0)
    withExtendedLifetime(listener) {}
  }

  @Test(arguments: Kind.allCases)
  func `a stream that exists and does not keep the subjects is an error`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus(patient)
    _ = try await bus.stream("orders", subjects: "orders.*", "bills.>")

    // Who names no subject takes the stream as it is.
    _ = try await bus.stream("orders")
    for pattern: SubjectPattern in ["orders.*", "orders.new", "bills.>", "bills.*.paid"] {
      _ = try await bus.stream("orders", subjects: pattern)
    }
    for pattern: SubjectPattern in ["orders.>", "orders", "orders.new.7", "bills", "*.new"] {
      await #expect(
        throws: BusError.refused(
          subject: "orders", code: 10058, reason: "the stream exists, and does not keep \(pattern)")
      ) { try await bus.stream("orders", subjects: "bills.paid", pattern) }
    }
  }

  @Test(arguments: ["orders.>", "orders.new", "*.new", ">"], Kind.allCases)
  func `a stream with subjects of another stream is an error`(pattern: SubjectPattern, kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus(patient)
    _ = try await bus.stream("orders")

    await #expect {
      try await bus.stream("other", subjects: pattern)
    } throws: { error in
      if case BusError.refused(_, 10065, _) = error { true } else { false }
    }
  }

  @Test(arguments: Kind.allCases)
  func `closing waits until the servers have everything`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus(patient)
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
    var options = patient
    var instrument = BusInstrument()
    instrument.error = { logged.append($0) }
    options.instruments = [instrument]
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

  @Test(arguments: Kind.allCases)
  func `errors that wait for a slot have a bound in bytes, and those beyond it are counted`(
    kind: Kind
  )
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus(patient)
    let (gate, entered) = (DispatchSemaphore(value: 0), Trace<Int>())
    let (errors, received) = (Trace<BusError>(), Trace<Int>())
    bus.errors.connect(on: .inline) { error in
      entered.append(0)
      if entered.count == 1 { gate.wait() }
      errors.append(error)
    }
    bus.signal("n", of: Int.self).connect(on: .inline) { received.append($0.payload) }
    try await bus.flush()
    let payloads = Emitter<[UInt8]>()
    bus.send(payloads.signal, to: "n", as: .bytes)
    payloads.invoke([0])
    #expect(await entered.wait(for: 1) == [0])

    // More than a megabyte, and fewer errors than may wait.
    for _ in 0..<1000 { payloads.invoke([UInt8](repeating: 0, count: 1024)) }
    payloads.invoke([UInt8]("7".utf8))
    #expect(await received.wait(for: 1) == [7])
    gate.signal()

    let lost = {
      errors.all.reduce(0) {
        if case .lost(let count, _, .tooManyErrors) = $1 { $0 + count } else { $0 }
      }
    }
    #expect(await until { lost() > 0 && errors.count - 1 + lost() == 1001 })
  }

  @Test func `a store that reaches its limit is an error, and what is stored stays`() async throws {
    let server = try TestServer(configuration: "jetstream { max_file_store: 1MB }")
    let bus = try await server.bus(quick)
    let orders = try await bus.stream("orders")
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    let payloads = Emitter<[UInt8]>()
    orders.send(payloads.signal, to: "orders.new", as: .bytes)

    for _ in 0..<20 { payloads.invoke([UInt8](repeating: 1, count: 100_000)) }
    try await flush(orders)

    let refused = { errors.all.filter { if case .refused = $0 { true } else { false } }.count }
    #expect(await until { refused() > 0 })
    // Each is stored or announced, and none is both.
    let count = try stored(in: "orders", of: server.server)
    #expect(count > 0)
    #expect(await until { count + refused() == 20 })
  }

  @Test(.enabled(if: Disk.isPossible, "this user cannot mount a small disk"))
  func `a full disk is an error of all that waits for it, and with more room nothing is lost`()
    async throws
  {
    let disk = try Disk(size: "8m")
    let configuration = disk.folder.appending(path: "server.conf")
    // The server finds out when it writes.
    try "jetstream { max_file_store: 1GB }".write(
      to: configuration, atomically: true, encoding: .utf8)
    let server = try NATSServer(store: disk.folder, arguments: ["-c", configuration.path])
    let bus = try await connectedBus(to: [server.url], quick)
    let orders = try await bus.stream("orders")
    let value = try await bus.value("n", of: [UInt8].self, initially: [], as: .bytes)
    let payload = [UInt8](repeating: 1, count: 100_000)
    let (payloads, errors) = (Emitter<[UInt8]>(), Trace<BusError>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    orders.send(payloads.signal, to: "orders.new", as: .bytes)

    for _ in 0..<100 { payloads.invoke(payload) }

    await #expect(throws: BusError.self) { try await orders.flush() }
    await #expect(throws: BusError.self) { try await value.set(payload) }
    #expect(
      errors.all.contains { if case .unavailable("orders", _) = $0 { true } else { false } })

    server.kill()
    try disk.resize("64m")
    try server.start()

    try await flush(orders)
    #expect(try stored(in: "orders", of: server) == 100)
    try await value.set(payload)
  }

  /// Waits until everything is stored or refused, however slow the server is.
  private func flush(_ stream: RemoteStream) async throws {
    for _ in 0..<10 {
      do { return try await stream.flush() } catch BusError.unavailable {}
    }
    try await stream.flush()
  }

  /// How many messages a stream has.
  private func stored(in stream: String, of server: any BreakableServer) throws -> Int {
    let info = try RawClient(port: server.port).request("$JS.API.STREAM.INFO.\(stream)", "")
    let count = info.split(separator: "\"messages\":").dropFirst().first?.prefix { $0.isNumber }
    return count.flatMap { Int($0) } ?? 0
  }

  @Test(arguments: Kind.allCases)
  func `times without an end are too long, and overflow nothing`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let never = Duration.seconds(Int64.max)
    var options = BusOptions()
    (options.timeout, options.patience, options.takeover) = (never, never, never)
    (options.pingInterval, options.longestDelay) = (never, never)
    let bus = try await server.bus(options)
    bus.answer("double", of: Int.self) { $0.payload * 2 }
    try await bus.flush()
    #expect(try await bus.ask(7, at: "double", for: Int.self, within: never) == 14)
    var kept = StreamOptions()
    kept.ageLimit = never
    let (stream, handled) = (try await bus.stream("orders", options: kept), Trace<Int>())
    for (name, isShared) in [("one", false), ("shared", true)] as [(Name, Bool)] {
      stream.consumer(name, of: Int.self, isShared: isShared).connect(on: .inline) {
        handled.append($0.payload)
      }
    }
    try await stream.emit(1, to: "orders.new")
    #expect(await handled.wait(for: 2) == [1, 1])
    #expect(await bus.snapshot().consumers.allSatisfy { $0.error == nil })

    #expect(await bus.close(within: never) == 0)
  }
}

/// A small disk of a test's own.
final class Disk {
  /// Whether this process may mount one, which root may not in some containers.
  static let isPossible = (try? Disk(size: "1m")) != nil

  let folder: URL

  init(size: String) throws {
    folder = try Watchdog.makeFolder()
    try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(size)", "none", folder.path])
  }

  deinit {
    try? Self.run(["umount", "-l", folder.path])
    Watchdog.removeFolder(folder)
  }

  func resize(_ size: String) throws {
    try Self.run(["mount", "-o", "remount,size=\(size)", folder.path])
  }

  private static func run(_ command: [String]) throws {
    let status = try ChildProcess(URL(fileURLWithPath: "/usr/bin/env"), command).status
    if status != 0 { throw NATSServer.Failure.notReady("\(command) ends with \(status)") }
  }
}
