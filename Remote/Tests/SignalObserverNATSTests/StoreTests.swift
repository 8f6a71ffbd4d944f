import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Streams and values whose servers lose what they kept, and whose confirmations are lost.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct StoreTests {
  private let quick = BusOptions.quick(pingInterval: .milliseconds(500))

  /// A bus with a stream of numbers, and what was reported and handled of them.
  private final class Orders: Sendable {
    let bus: Bus
    let stream: RemoteStream
    let numbers = Emitter<Int>()
    let errors = Trace<BusError>()
    let handled = Trace<Int>()

    init(_ server: TestServer, _ options: BusOptions) async throws {
      bus = try await server.bus(options)
      bus.errors.connect(on: .inline) { [errors] in errors.append($0) }
      stream = try await bus.stream("orders")
      stream.send(numbers.signal, to: "orders.new")
    }

    func invoke(_ range: some Sequence<Int>) { for number in range { numbers.invoke(number) } }

    @discardableResult
    func handle() -> SignalObserver {
      stream.consumer("billing", of: Int.self).connect(on: .inline) { [handled] message in
        handled.append(message.payload)
      }
    }
  }

  @Test func `a bus that may start without a server connects when there is one`() async throws {
    let port = try NATSServer.freePort()
    let folder = try Watchdog.makeFolder()
    defer { Watchdog.removeFolder(folder) }
    var options = quick
    options.startsWithoutServer = true
    let bus = try await Bus("nats://127.0.0.1:\(port)", options: options)
    let trace = Trace<Int>()
    bus.signal("n", of: Int.self).map(\.payload).connect(on: .inline) { trace.append($0) }
    let numbers = Emitter<Int>()
    bus.send(numbers.signal, to: "n")
    numbers.invoke(7)
    #expect(bus.state.value == .connecting)

    let server = try NATSServer(port: port, store: folder)

    #expect(await trace.wait(for: 1) == [7])
    server.stop()
  }

  @Test(arguments: Kind.allCases)
  func `a store that is lost is announced once, and stream, consumer and value begin anew`(
    kind: Kind
  )
    async throws
  {
    let server = try TestServer(kind)
    let orders = try await Orders(server, quick)
    orders.handle()
    let seen = Trace<Int>()
    let value = try await orders.bus.value("n", of: Int.self, initially: 0)
    value.connect(on: .inline) { seen.append($0) }
    orders.invoke(0..<500)
    for number in 1...50 { try await value.set(number) }
    #expect(difference(await orders.handled.wait(for: 500), 0..<500) == nil)

    try server.loseStreams()
    orders.invoke(500..<600)

    // Those that were on their way may be stored in another order.
    #expect(difference(await orders.handled.wait(for: 600).sorted(), 0..<600) == nil)
    let lost = { (name: String) in
      orders.errors.all.filter { $0 == .storeLost(name: name) }.count
    }
    #expect(await until { lost("orders") == 1 && lost("KV_signals") == 1 })
    let near = try await server.bus(quick)
    let other = try await near.value("n", of: Int.self, initially: -1)
    // What a process knew is the newest that is left.
    #expect(other.value == 50)
    try await other.set(51)
    #expect(await until { seen.all.last == 51 })
    try await value.modify { $0 += 1 }
    #expect(await until { other.value == 52 })
  }

  @Test(arguments: Kind.allCases)
  func `a store that is lost while a slot runs is noticed when the message is marked`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    var options = quick
    options.patience = .seconds(300)
    let bus = try await server.bus(options)
    let (errors, handled) = (Trace<BusError>(), Trace<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    let orders = try await bus.stream("orders")
    let numbers = Emitter<Int>()
    orders.send(numbers.signal, to: "orders.new")
    let (gate, open) = AsyncStream.makeStream(of: Never.self)
    orders.consumer("billing", of: Int.self).connect(throwing: { message in
      handled.append(message.payload)
      if message.payload == 1 { for await _ in gate {} }
    })
    numbers.invoke(1)
    #expect(await handled.wait(for: 1) == [1])

    try server.loseStreams()
    open.finish()
    numbers.invoke(2)

    #expect(await handled.wait(for: 2) == [1, 2])
    #expect(errors.all.filter { $0 == .storeLost(name: "orders") }.count == 1)
  }

  /// A server that makes a stream for one request refuses another one at that moment, because the
  /// subjects of the two overlap.
  @Test(arguments: Kind.allCases)
  func `a stream that two processes make at once is made once`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (here, there) = (try await server.bus(quick), try await server.bus(quick))

    for number in 0..<500 {
      let name = try Name("orders-\(number)")
      await #expect(throws: Never.self) {
        async let first = here.stream(name)
        async let second = there.stream(name)
        _ = try await (first, second)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `a stream that is made again under its consumer is handled from its beginning`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let orders = try await Orders(server, quick)
    orders.handle()
    orders.invoke(0..<500)
    #expect(await orders.handled.wait(for: 500).count == 500)
    let raw = try RawClient(port: server.server.port)

    _ = try raw.request("$JS.API.STREAM.DELETE.orders", "")
    _ = try raw.request(
      "$JS.API.STREAM.CREATE.orders", #"{"name":"orders","subjects":["orders.>"]}"#)
    orders.invoke(500..<600)

    #expect(difference(await orders.handled.wait(for: 600), 0..<600) == nil)
    #expect(orders.errors.all.contains(.storeLost(name: "orders")))
  }

  @Test(arguments: Kind.allCases)
  func `a stream of three servers is the same one, though they say that it was made at other times`(
    kind: Kind
  )
    async throws
  {
    let server = try TestServer(kind)
    let proxy = try Proxy(to: server.server.port)
    // One server says what three of a cluster would. If two processes make a stream at once, the servers
    // of a cluster may say another time after a restart.
    proxy.replacements = ["\"num_replicas\":1": "\"num_replicas\":3"]
    var options = BusOptions.patient
    options.takeover = .seconds(1)
    let bus = try await connectedBus(to: [proxy.url], options)
    let (errors, handled, numbers) = (Trace<BusError>(), Trace<Int>(), Emitter<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    let orders = try await bus.stream("orders")
    orders.send(numbers.signal, to: "orders.new")
    let billing = orders.consumer("billing", of: Int.self)
    billing.connect(on: .inline) { handled.append($0.payload) }
    let title = try await bus.value("title", of: String.self, initially: "News")
    for number in 0..<10 { numbers.invoke(number) }
    #expect(await handled.wait(for: 10) == Array(0..<10))

    for stream in ["orders", "KV_signals"] {
      let answer = try RawClient(port: server.server.port).request(
        "$JS.API.STREAM.INFO.\(stream)", "")
      let found = try #require(answer.firstMatch(of: /("created":".*?\.\d\d)(\d)/))
      proxy.replacements["\(found.0)"] = "\(found.1)\(((Int(found.2) ?? 0) + 1) % 10)"
    }
    proxy.cut()
    for number in 10..<20 { numbers.invoke(number) }
    try await title.set("Old news")
    #expect(await handled.wait(for: 20) == Array(0..<20))
    // Another process finds the mark.
    #expect(await until { billing.handledSequence == 20 })
    let (next, after) = (try await connectedBus(to: [proxy.url], options), Trace<Int>())
    bus.close()
    let again = try await next.stream("orders")
    again.consumer("billing", of: Int.self).connect(on: .inline) { after.append($0.payload) }
    try await again.emit(20, to: "orders.new")

    #expect(await after.wait(for: 1) == [20])
    #expect(!errors.all.contains { if case .storeLost = $0 { true } else { false } })
  }

  @Test(
    arguments: ["garbage", #"{"sequence":18446744073709551615,"owner":""}"#], Kind.allCases)
  func `a mark ahead of its stream is announced, and so is one that cannot be read`(
    garbage: String, kind: Kind
  ) async throws {
    let server = try TestServer(kind)
    let orders = try await Orders(server, quick)
    orders.invoke(0..<5)
    try await orders.stream.flush()
    do {
      let first = orders.stream.consumer("billing", of: Int.self)
      let observer = first.connect(on: .inline) { _ in }
      #expect(await until { first.handledSequence == 5 })
      observer.cancel()
    }
    let raw = try RawClient(port: server.server.port)
    let info = try raw.request(
      "$JS.API.STREAM.INFO.KV_signal-consumers", #"{"subjects_filter":"$KV.signal-consumers.>"}"#)
    let key = try #require(
      info.split(separator: "\"").first { $0.hasPrefix("$KV.signal-consumers.orders") })

    try raw.publish(String(key), #"{"sequence":9,"owner":""}"#)
    let observer = orders.handle()
    #expect(
      await until {
        orders.errors.all.contains(.markAhead(consumer: "orders.billing", handled: 9, last: 5))
      })
    observer.cancel()
    try await Task.sleep(for: .seconds(1))
    try raw.publish(String(key), garbage)
    orders.handle()

    #expect(
      await until { orders.errors.all.contains(.unreadableMark(consumer: "orders.billing")) })
    #expect(orders.handled.all == [])
  }

  @Test(arguments: Kind.allCases)
  func `consumers of one name and other subjects have marks of their own`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (orders, some) = (try await Orders(server, quick), Trace<Int>())
    orders.invoke(0..<10)

    orders.handle()
    #expect(await orders.handled.wait(for: 10) == Array(0..<10))
    orders.stream.consumer("billing", on: "orders.new", of: Int.self).map(\.payload).connect(
      on: .inline
    ) { some.append($0) }

    #expect(await some.wait(for: 10) == Array(0..<10))
  }

  @Test(arguments: Kind.allCases)
  func `a message at which slots throw too often is a dead letter, and the rest is delivered`(
    kind: Kind
  )
    async throws
  {
    struct Poison: Error {}
    let server = try TestServer(kind)
    var options = quick
    options.maximumDeliveries = 3
    let orders = try await Orders(server, options)
    orders.stream.consumer("billing", of: Int.self).connect(throwing: { message in
      if message.payload == 2 { throw Poison() }
      orders.handled.append(message.payload)
    })
    orders.invoke(1...3)

    #expect(await orders.handled.wait(for: 2) == [1, 3])
    #expect(
      await until {
        orders.errors.all.last == .gaveUp(subject: "orders.new", sequence: 2, reason: "Poison()")
      })
    let letters = Trace<StreamMessage<Int>>()
    try await orders.bus.stream("dead-letters").consumer("clerk", of: Int.self).connect(on: .inline)
    {
      letters.append($0)
    }
    #expect(
      await letters.wait(for: 1).map(\.subject) == ["dead-letters.orders.billing"])
    #expect(letters.all.map(\.payload) == [2])
    let raw = try RawClient(port: server.server.port)
    let letter = try raw.request("$JS.API.STREAM.MSG.GET.dead-letters", #"{"seq":1}"#)
    let header = letter.split(separator: "\"hdrs\":\"").dropFirst().first?.prefix { $0 != "\"" }
    let text = header.flatMap { Data(base64Encoded: String($0)) } ?? Data()
    #expect(String(decoding: text, as: UTF8.self).contains("Dead-Letter-Error: Poison()\r\n"))
  }

  @Test(arguments: Kind.allCases)
  func `the dead letters of a stream made again, or of other subjects, are other letters`(
    kind: Kind
  )
    async throws
  {
    struct Poison: Error {}
    let server = try TestServer(kind)
    var options = quick
    options.maximumDeliveries = 1
    let orders = try await Orders(server, options)
    let raw = try RawClient(port: server.server.port)
    let hasLetters = { (count: Int) in
      let info = try? raw.request("$JS.API.STREAM.INFO.dead-letters", "")
      return info?.contains("\"messages\":\(count),") ?? false
    }
    orders.stream.consumer("billing", of: Int.self).connect(throwing: { _ in throw Poison() })
    orders.invoke([1])
    #expect(await until { hasLetters(1) })

    _ = try raw.request("$JS.API.STREAM.DELETE.orders", "")
    orders.invoke([2])
    #expect(await until { hasLetters(2) })
    orders.stream.consumer("billing", on: "orders.new", of: Int.self).connect(
      throwing: { _ in throw Poison() })

    #expect(await until { hasLetters(3) })
  }

  @Test(arguments: Kind.allCases)
  func `a dead letter of any size fits, or is announced, and the rest is delivered`(kind: Kind)
    async throws
  {
    struct Poison: Error, CustomStringConvertible {
      let description = String(repeating: "!", count: 500)
    }
    let server = try TestServer(kind, maximumSize: 8192)
    var options = quick
    options.maximumDeliveries = 1
    let orders = try await Orders(server, options)
    let raw = try RawClient(port: server.server.port)
    let handled = Trace<Int>()
    orders.stream.consumer("billing", of: [UInt8].self, as: .bytes).connect(throwing: { message in
      if message.payload.count > 100 { throw Poison() }
      handled.append(message.payload.count)
    })
    // A short reason fits, the headers of the letter alone fit, nothing but the body fits.
    let tenant = "Tenant: " + String(repeating: "7", count: 200)
    try raw.publish("orders.new", String(repeating: "a", count: 7600))
    try raw.publish("orders.new", String(repeating: "b", count: 7700), headers: [tenant])
    try raw.publish("orders.new", String(repeating: "c", count: 8192))
    try raw.publish("orders.new", "d")

    #expect(await handled.wait(for: 1) == [1])
    let letters = Trace<StreamMessage<[UInt8]>>()
    try await orders.bus.stream("dead-letters").consumer("clerk", of: [UInt8].self, as: .bytes)
      .connect(on: .inline) { letters.append($0) }
    #expect(await letters.wait(for: 3).map(\.payload.count) == [7600, 7700, 8192])
    let reasons = letters.all.map { $0.headers["Dead-Letter-Error"]?.count }
    #expect(reasons == [64, 64, nil])
    #expect(letters.all.map { $0.headers["Dead-Letter-Sequence"] } == ["1", "2", nil])

    // Now a letter that the stream of the dead letters takes in no form.
    _ = try raw.request(
      "$JS.API.STREAM.UPDATE.dead-letters",
      #"{"name":"dead-letters","subjects":["dead-letters.>"],"storage":"file","max_msg_size":9}"#)
    try raw.publish("orders.new", String(repeating: "e", count: 101))
    try raw.publish("orders.new", "f")

    #expect(await handled.wait(for: 2) == [1, 1])
    #expect(
      await until {
        orders.errors.all.contains {
          if case .gaveUp("orders.new", 5, let reason) = $0 {
            reason.hasPrefix("there is no dead letter, because ")
          } else {
            false
          }
        }
      })
  }

  @Test(arguments: Kind.allCases)
  func `a consumer without a slot gives its mark to another process`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (here, there) = (
      try await Orders(server, quick), try await Orders(server, quick)
    )
    let held = here.stream.consumer("billing", of: Int.self)
    let observer = held.connect(on: .inline) { [handled = here.handled] in
      handled.append($0.payload)
    }
    here.invoke([1])
    #expect(await here.handled.wait(for: 1) == [1])

    observer.cancel()
    there.handle()
    here.invoke([2, 3])
    #expect(await there.handled.wait(for: 2) == [2, 3])

    held.connect(on: .inline) { [handled = here.handled] in handled.append($0.payload) }
    await there.bus.close(within: .seconds(30))
    here.invoke([4])
    #expect(await here.handled.wait(for: 2) == [1, 4])
  }

  @Test(arguments: Kind.allCases)
  func `a value that was deleted, or cannot be decoded, can be set again`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus(quick)
    let seen = Trace<Int>()
    let value = try await bus.value("n", of: Int.self, initially: 1)
    value.connect(on: .inline) { seen.append($0) }
    let raw = try RawClient(port: server.server.port)

    try raw.publish("$KV.signals.n", "", headers: ["KV-Operation: DEL"])
    try await value.modify { $0 += 1 }
    #expect(value.value == 2)
    try raw.publish("$KV.signals.n", "garbage")
    await #expect(throws: BusError.self) { try await value.modify { $0 += 1 } }
    try await value.set(3)
    #expect(value.value == 3)
    try raw.publish("$KV.signals.n", "garbage")
    let near = try await server.bus(quick)
    let late = try await near.value("n", of: Int.self, initially: 9)
    try await late.set(4)

    #expect(await until { seen.all.last == 4 })
    try raw.publish("$KV.signals.n", "", headers: ["KV-Operation: DEL"])
    let made = try await near.value("n", of: Int.self, initially: 5)
    #expect(made.value == 5)
    #expect(await until { seen.all.last == 5 })
  }

  @Test(arguments: [10, 100], Kind.allCases)
  func `a set whose confirmation is lost is made once, or is an error`(others: Int, kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let raw = try RawClient(port: server.server.port)
    // The servers forget ids at once, so that the history has to say it.
    _ = try raw.request(
      "$JS.API.STREAM.CREATE.KV_signals",
      #"{"name":"KV_signals","subjects":["$KV.signals.>"],"max_msgs_per_subject":64,"#
        + #""discard":"new","allow_rollup_hdrs":true,"duplicate_window":100000000}"#)
    let proxy = try Proxy(to: server.server.port)
    let (far, near) = (try await connectedBus(to: [proxy.url], quick), try await server.bus(quick))
    let mine = try await far.value("n", of: Int.self, initially: 0)
    let theirs = try await near.value("n", of: Int.self, initially: 0)
    try await mine.modify { $0 += 1 }

    proxy.swallowsAnswers = true
    let task = Task { try await mine.modify { $0 += 1 } }
    #expect(await until { theirs.value == 2 })
    for _ in 0..<others { try await theirs.modify { $0 += 1 } }
    proxy.swallowsAnswers = false
    proxy.cut()

    if others < 64 {
      try await task.value
    } else {
      // What was stored since is not all kept, and it is not guessed.
      await #expect(throws: BusError.unknownOutcome(subject: "$KV.signals.n")) {
        try await task.value
      }
    }
    #expect(await until { theirs.value == 2 + others })
    #expect(await until { mine.value == 2 + others })
  }

  @Test func `a hundred calls for one stream make one subscription`() async throws {
    let server = try TestServer()
    let bus = try await server.bus(quick)
    var streams: [RemoteStream] = []
    for _ in 0..<100 { streams.append(try await bus.stream("orders")) }
    try await bus.flush()

    let connections = try server.monitored("connz?subs=1")
    let subscriptions = connections.split(separator: "\"subscriptions\": ").dropFirst().first
    #expect(subscriptions.flatMap { Int($0.prefix { $0.isNumber }) } == 1)
  }

  @Test func `R4: marks are kept on as many servers as their stream`() async throws {
    let cluster = try TestCluster()
    var options = quick
    options.replicas = 3
    let three = try await connectedBus(to: cluster.urls, options)
    options.replicas = 1
    let one = try await connectedBus(to: cluster.urls, options)
    let single = try await one.stream("single")
    let orders = try await three.stream("orders")
    let (numbers, handled) = (Emitter<Int>(), Trace<Int>())
    single.send(numbers.signal, to: "single.n")
    orders.send(numbers.signal, to: "orders.n")
    numbers.invoke(1)
    single.consumer("billing", of: Int.self).connect(on: .inline) { handled.append($0.payload) }
    #expect(await handled.wait(for: 1) == [1])

    orders.consumer("billing", of: Int.self).connect(on: .inline) { handled.append($0.payload) }
    #expect(await handled.wait(for: 2) == [1, 1])

    let raw = try RawClient(port: cluster.servers[0].port)
    let info = try raw.request("$JS.API.STREAM.INFO.KV_signal-consumers", "")
    #expect(info.contains("\"num_replicas\":3"))
  }
}
