import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSTesting
import Testing

/// The server in memory, as far as it differs from others.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct InMemoryTests {
  @Test func `the server lives as long as a bus of it`() async throws {
    var server: InMemoryServer? = try InMemoryServer()
    weak let kept = server
    let port = try #require(server).port
    var buses = [try await server?.bus(), try await server?.bus()]
    server = nil
    let (numbers, trace) = (Emitter<Int>(), Trace<Int>())

    buses.removeFirst()
    let bus = try #require(buses[0])
    bus.signal("n", of: Int.self).connect(on: .inline) { trace.append($0.payload) }
    bus.send(numbers.signal, to: "n")
    numbers.invoke(7)
    #expect(await trace.wait(for: 1) == [7])
    bus.close()
    buses = []
    _ = consume bus

    #expect(await until { kept == nil })
    #expect(await until { (try? NATSServer.connect(to: port)) == nil })
  }

  @Test func `a bus in memory has a server of its own`() async throws {
    let (one, other) = (try await Bus.inMemory(), try await Bus.inMemory())
    try await one.value("n", of: Int.self, initially: 1).set(2)

    #expect(try await other.value("n", of: Int.self, initially: 1).value == 1)
  }

  @Test func `credentials and TLS of the options do not matter`() async throws {
    var options = BusOptions()
    options.credentials = .token("secret")
    options.tls = BusOptions.TLS()

    try await Bus.inMemory(options).flush()
  }

  @Test func `a paused server answers nothing, and later everything`() async throws {
    let server = try InMemoryServer()
    let bus = try await server.bus()
    bus.answer("stock.count", of: Int.self) { $0.payload }
    try await bus.flush()

    server.pause()
    server.pause()
    await #expect(throws: BusError.timeout(subject: "stock.count")) {
      try await bus.ask(1, at: "stock.count", for: Int.self, within: .milliseconds(100))
    }
    server.resume()
    #expect(try await bus.ask(2, at: "stock.count", for: Int.self) == 2)
    server.pause()
  }

  @Test func `a server that was stopped keeps its port, and starts once`() throws {
    let server = try InMemoryServer()
    server.stop()
    #expect(NATSServer.bound(to: server.port) == nil)
    #expect(throws: (any Error).self) { try NATSServer.connect(to: server.port) }
    try server.start(losingStreams: false)
    #expect(throws: BusError.self) { try server.start(losingStreams: false) }
    close(try NATSServer.connect(to: server.port))
  }

  @Test func `a server that was stopped keeps its streams, but not those in memory`() async throws {
    let server = try InMemoryServer()
    var options = BusOptions()
    options.instruments = []
    let bus = try await server.bus(options)
    var inMemory = StreamOptions()
    inMemory.isInMemory = true
    let (numbers, errors) = (Emitter<Int>(), Trace<BusError>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    // To ask for a stream again would make it again, and nobody would notice that it was lost.
    let kept = try await bus.stream("kept")
    let lost = try await bus.stream("lost", options: inMemory)
    kept.send(numbers.signal, to: "kept.n")
    lost.send(numbers.signal, to: "lost.n")
    numbers.invoke(1)
    for stream in [kept, lost] { try await stream.flush() }

    server.stop()
    await #expect(throws: BusError.self) { try await server.bus(options) }
    try server.start()
    numbers.invoke(2)
    for stream in [kept, lost] { try await stream.flush() }

    #expect(await until { errors.all.contains(.storeLost(name: "lost")) })
    for (stream, expected) in [(kept, [1, 2]), (lost, [2])] {
      let trace = Trace<Int>()
      stream.consumer("all", of: Int.self).connect(on: .inline) { trace.append($0.payload) }
      #expect(await trace.wait(for: expected.count) == expected)
    }
    #expect(!errors.all.contains(.storeLost(name: "kept")))
    #expect(throws: BusError.self) { try server.start(losingStreams: true) }
  }

  @Test func `a client that breaks the protocol is told so, and cut off`() throws {
    let server = try InMemoryServer(maximumSize: 10)
    for (text, reason) in [
      ("HELLO\r\n", "Unknown Protocol Operation"), ("PUB n\r\n", "Parser Error"),
      ("PUB n 11\r\n", "Maximum Payload Violation"),
    ] {
      let client = try RawClient(port: server.port)
      try client.say(text)
      #expect(client.rest.hasSuffix("-ERR '\(reason)'\r\n"))
    }
    // Nothing of it harms the others.
    let client = try RawClient(port: server.port)
    try client.say(
      "SUB a.* 1\r\nSUB a.> 2\r\nUNSUB 2 1\r\nPUB a.b 1\r\n7\r\nPUB a.b 1\r\n8\r\nPING\r\n")
    #expect(
      client.read(until: "PONG\r\n")
        == "MSG a.b 1 1\r\n7\r\nMSG a.b 2 1\r\n7\r\nMSG a.b 1 1\r\n8\r\nPONG\r\n")
  }

  @Test(arguments: Kind.allCases)
  func `a subject with an empty part is refused, and so are the subjects of JetStream's interface`(
    kind: Kind
  ) throws {
    let server = try TestServer(kind)
    let client = try RawClient(port: server.server.port)
    for (text, answer) in [
      ("SUB a..b 1\r\n", "-ERR 'Invalid Subject'"), ("SUB a.>.b 1\r\n", "-ERR 'Invalid Subject'"),
      ("SUB > 1\r\nPUB a..b 1\r\n7\r\n", "-ERR 'Invalid Publish Subject'"),
    ] {
      try client.say(text + "PING\r\n")
      #expect(client.read(until: "PONG\r\n") == "\(answer)\r\nPONG\r\n")
    }
    for (subject, reason) in [
      ("a..b", "invalid subject"), ("a.>.b", "invalid subject"), ("", "invalid subject"),
      ("$JS.API.>", "subjects overlap with jetstream api"),
      ("$JS.API.STREAM.INFO.*", "subjects overlap with jetstream api"),
    ] {
      let answer = try RawClient(port: server.server.port).request(
        "$JS.API.STREAM.CREATE.s", #"{"name":"s","subjects":["\#(subject)"]}"#)
      #expect(answer.contains(#""code":500,"#) && answer.contains(#""err_code":10052"#))
      #expect(answer.contains(#""description":"\#(reason)""#))
    }
  }

  @Test(arguments: Kind.allCases)
  func `a stream whose own subjects overlap is refused, and so is a very short age`(kind: Kind)
    throws
  {
    let server = try TestServer(kind)
    for (settings, reason) in [
      (#""subjects":["a","b","a"]"#, "duplicate subjects detected"),
      (#""subjects":["b.*","a.*","*.c"]"#, #"subject \"b.*\" overlaps with \"*.c\""#),
      (#""subjects":["a.*","a.b"]"#, #"subject \"a.*\" overlaps with \"a.b\""#),
      (#""max_age":99999999"#, "max age needs to be "),
    ] {
      let answer = try RawClient(port: server.server.port).request(
        "$JS.API.STREAM.CREATE.s", #"{"name":"s",\#(settings)}"#)
      #expect(answer.contains(#""code":500,"#) && answer.contains(#""err_code":10052"#))
      #expect(answer.contains(#""description":"\#(reason)"#))
    }
  }

  @Test(arguments: Kind.allCases)
  func `a stream counts its bytes, and takes consumers of its subjects only`(kind: Kind) throws {
    let server = try TestServer(kind)
    let raw = try RawClient(port: server.server.port)
    for (name, sizes) in [("file", [41, 104]), ("memory", [29, 76])] {
      _ = try raw.request(
        "$JS.API.STREAM.CREATE.\(name)",
        #"{"name":"\#(name)","subjects":["\#(name).*"],"storage":"\#(name)"}"#)
      for (size, headers) in zip(sizes, [[], ["A: b"]]) {
        try raw.publish("\(name).n", "hello", headers: headers)
        let info = try raw.request("$JS.API.STREAM.INFO.\(name)", "")
        #expect(info.contains(#""bytes":\#(size),"#))
      }
    }
    for (filter, isTaken) in [
      ("file.*", true), ("file.n", true), (">", true), ("file.>", true), ("elsewhere", false),
      ("*.n", false), ("file.n.7", false),
    ] {
      let answer = try raw.request(
        "$JS.API.CONSUMER.CREATE.file",
        #"{"stream_name":"file","config":{"ack_policy":"none","filter_subject":"\#(filter)"}}"#)
      #expect(answer.contains(#""err_code":10093"#) != isTaken)
    }
  }

  @Test(arguments: Kind.allCases)
  func `one server takes one replica, and no number that no cluster has`(kind: Kind) throws {
    let server = try TestServer(kind)
    for (replicas, error) in [(-1, 10133), (3, 10074), (6, 10052)] {
      let answer = try RawClient(port: server.server.port).request(
        "$JS.API.STREAM.CREATE.s", #"{"name":"s","num_replicas":\#(replicas)}"#)
      #expect(answer.contains(#""err_code":\#(error)"#))
    }
  }

  @Test(arguments: Kind.allCases)
  func `the filter of a durable consumer may change, but not whether it acknowledges`(kind: Kind)
    throws
  {
    let server = try TestServer(kind)
    let raw = try RawClient(port: server.server.port)
    _ = try raw.request("$JS.API.STREAM.CREATE.s", #"{"name":"s","subjects":["s.*"]}"#)
    for (subject, body) in [("s.a", "1"), ("s.b", "2"), ("s.a", "3"), ("s.b", "4")] {
      try raw.publish(subject, body)
    }
    func set(_ settings: String) throws -> String {
      try raw.request(
        "$JS.API.CONSUMER.DURABLE.CREATE.s.c",
        #"{"stream_name":"s","config":{"durable_name":"c",\#(settings)}}"#)
    }
    // A message that is pulled keeps its subject.
    try raw.say("SUB pulled 2\r\n")
    func next() throws -> String {
      try raw.say("PUB $JS.API.CONSUMER.MSG.NEXT.s.c pulled 11\r\n{\"batch\":1}\r\n")
      _ = raw.read(until: "MSG s.")
      _ = raw.read(until: "\r\n")
      return raw.read(until: "\r\n")
    }
    let answer = try set(#""ack_policy":"explicit","filter_subject":"s.a""#)
    #expect(answer.contains(#""num_pending":2"#))
    #expect(try next() == "1\r\n")

    #expect(
      try set(#""ack_policy":"explicit","filter_subject":"x.b""#).contains(#""err_code":10093"#))
    #expect(
      try set(#""ack_policy":"none","filter_subject":"s.b""#).contains(#""err_code":10012"#))
    #expect(
      try set(#""ack_policy":"explicit","filter_subject":"s.b""#).contains(#""num_pending":2"#))
    #expect(try next() == "2\r\n")
    #expect(try set(#""ack_policy":"explicit""#).contains(#""num_pending":2"#))
    #expect(try next() == "3\r\n")
  }

  @Test(arguments: [Date.distantPast, .distantFuture])
  func `a consumer begins at any time`(time: Date) async throws {
    let server = try InMemoryServer()
    let bus = try await server.bus()
    let orders = try await bus.stream("orders")
    try await orders.emit(1, to: "orders.new")
    try await orders.flush()
    let received = Trace<Int>()
    let billing = orders.consumer("billing", from: .time(time), of: Int.self)
    billing.map(\.payload).connect(on: .inline) { received.append($0) }
    // Its first mark says where it begins.
    let raw = try RawClient(port: server.port)
    #expect(
      await until {
        (try? raw.request("$JS.API.STREAM.INFO.KV_signal-consumers", "").contains(
          "\"messages\":1,")) == true
      })
    try await orders.emit(2, to: "orders.new")

    #expect(await until { received.all.last == 2 })
    #expect(received.all == (time < .now ? [1, 2] : [2]))
  }

  @Test(arguments: [
    "PUB a -5\r\n", "HPUB a -3 5\r\nHELLO\r\n", "HPUB s.a 13 13\r\nNATS/1.0\r\n\n\n\r\n",
  ])
  func `nothing that a client says ends the process of the server`(text: String) async throws {
    let server = try InMemoryServer()
    let bus = try await server.bus()
    _ = try await bus.stream("s")

    let client = try RawClient(port: server.port)
    try client.say(text)
    try client.say("PING\r\n")
    _ = client.read(until: "PONG\r\n")

    try await bus.flush()
  }
}
