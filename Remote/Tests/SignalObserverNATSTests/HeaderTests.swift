import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSTesting
import Testing

/// What accompanies payloads.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct HeaderTests {
  private struct Failure: Error {}

  @Test func `a name has values in their order, and its case does not matter`() throws {
    var headers = try MessageHeaders(["tenant": "seven", "Region": " north\t", "Tenant": "eight"])
    #expect(headers["TENANT"] == "seven")
    #expect(headers.values(for: "Tenant") == ["seven", "eight"])
    #expect(headers["region"] == "north")
    #expect(headers["Ten"] == nil)
    #expect(headers.names == ["Region", "tenant"])

    try headers.set("nine", for: "TENANT")
    try headers.add("a\tb", for: "Note")

    let same = try MessageHeaders(["Note": "a\tb", "Tenant": "nine", "REGION": "north"])
    #expect(headers == same)
    #expect(headers != MessageHeaders())
    #expect(headers.description == "Note: a\tb\nRegion: north\nTENANT: nine")
  }

  @Test(arguments: ["", "a b", "a:b", "a\nb", "é", "a\0"])
  func `a name that NATS cannot send is an error`(name: String) {
    #expect(
      throws: BusError.invalid(
        text: name, reason: "the name of a header has visible characters of ASCII, and no colon")
    ) { try MessageHeaders([name: "value"]) }
  }

  @Test(arguments: ["a\nb", "a\r\nNats-Msg-Id: 7", "a\0b", "", " "])
  func `a value that NATS cannot send is an error`(value: String) {
    #expect(
      throws: BusError.invalid(
        text: value, reason: "the value of a header is one line of text, and not empty")
    ) { try MessageHeaders(["Name": value]) }
  }

  @Test(arguments: ["Nats-Msg-Id", "nats-rollup"])
  func `the headers of the servers cannot be set`(name: String) {
    #expect(
      throws: BusError.invalid(
        text: name, reason: "headers that begin with Nats- are the servers' own")
    ) { try MessageHeaders([name: "value"]) }
  }

  @Test(arguments: Kind.allCases)
  func `a signal delivers the headers that its sender has set, between messages without`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (sender, receiver) = (try await server.bus(), try await server.bus())
    let received = Trace<Message<Int>>()
    receiver.signal("numbers", of: Int.self).connect(on: .inline) { received.append($0) }
    try await receiver.flush()
    let numbers = Emitter<Int>()
    sender.send(
      numbers.signal, to: "numbers",
      headers: { number in
        if number % 3 != 0 { return MessageHeaders() }
        return try MessageHeaders([
          "Number": "\(number)", "Text": "grüße: 7", "number": "b",
        ])
      })

    for number in 0..<1000 { numbers.invoke(number) }

    for message in await received.wait(for: 1000) {
      let number = message.payload
      let isWith = number % 3 == 0
      #expect(message.headers.values(for: "NUMBER") == (isWith ? ["\(number)", "b"] : []))
      #expect(message.headers["Text"] == (isWith ? "grüße: 7" : nil))
    }
    #expect(difference(received.all.map(\.payload), 0..<1000) == nil)
  }

  @Test func `messages with the same subject and payload are equal, whatever their headers are`()
    async throws
  {
    let bus = try await Bus.inMemory()
    let received = Trace<Message<Int>>()
    bus.signal("n.*", of: Int.self).connect(on: .inline) { received.append($0) }
    try await bus.flush()
    let (one, other) = (Emitter<Int>(), Emitter<Int>())
    bus.send(one.signal, to: "n.a", headers: { _ in try MessageHeaders(["Tenant": "seven"]) })
    bus.send(one.signal, to: "n.a")
    bus.send(other.signal, to: "n.a")
    bus.send(other.signal, to: "n.b")

    one.invoke(1)
    other.invoke(2)

    let messages = await received.wait(for: 4)
    try #require(messages.map(\.payload) == [1, 1, 2, 2])
    #expect(messages[0] == messages[1])
    #expect(messages[1] != messages[2])
    #expect(messages[2] != messages[3])
  }

  @Test(arguments: Kind.allCases)
  func `other programs write headers as they like`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let received = Trace<MessageHeaders>()
    bus.signal("raw", of: Int.self).connect(on: .inline) { received.append($0.headers) }
    try await bus.flush()

    try RawClient(port: server.server.port).publish(
      "raw", "7", headers: ["b:  two", "A:1", "nats-expected: 7", "a: 2 "])

    let headers = try #require(await received.wait(for: 1).first)
    #expect(headers["B"] == "two")
    #expect(headers.names.map { $0.lowercased() } == ["a", "b"])
    #expect(Set(headers.values(for: "a")) == ["1", "2"])
  }

  @Test(arguments: Kind.allCases)
  func `headers that libnats cannot read are an error, and the message is delivered`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.instruments = []
    let bus = try await server.bus(options)
    let (received, errors) = (Trace<Message<Int>>(), Trace<BusError>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    bus.signal("raw", of: Int.self).connect(on: .inline) { received.append($0) }
    try await bus.flush()

    try RawClient(port: server.server.port).publish("raw", "7", headers: ["no colon"])

    let message = try #require(await received.wait(for: 1).first)
    #expect(message.payload == 7)
    #expect(message.headers.isEmpty)
    let unreadable = BusError.invalid(
      text: "raw", reason: "libnats cannot read the headers of a message")
    #expect(await errors.wait(for: 1) == [unreadable])
  }

  @Test(arguments: [1001, 100_000], Kind.allCases)
  func `a message with too many headers is delivered without them, and that is an error`(
    count: Int, kind: Kind
  ) async throws {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.instruments = []
    let (bus, raw) = (try await server.bus(options), try RawClient(port: server.server.port))
    let (received, errors) = (Trace<Message<Int>>(), Trace<BusError>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    bus.signal("raw", of: Int.self).connect(on: .inline) { received.append($0) }
    try await bus.flush()

    try raw.publish("raw", "1", headers: (0..<1000).map { "n\($0 % 500): \($0)" })
    try raw.publish("raw", "2", headers: Array(repeating: "a:1", count: count))

    let messages = await received.wait(for: 2)
    #expect(messages.map(\.payload) == [1, 2])
    #expect(messages[0].headers.values(for: "N7") == ["7", "507"])
    #expect(messages[0].headers.names.count == 500)
    try #require(messages[1].headers.isEmpty)
    let tooMany = BusError.invalid(
      text: "raw", reason: "a message has more than 1,000 headers")
    #expect(await errors.wait(for: 1) == [tooMany])
  }

  @Test(arguments: Kind.allCases)
  func `a payload whose headers cannot be made is not sent, and that is an error`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.instruments = []
    let bus = try await server.bus(options)
    let (received, errors) = (Trace<Int>(), Trace<BusError>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    bus.signal("numbers", of: Int.self).connect(on: .inline) { received.append($0.payload) }
    let stream = try await bus.stream("numbers2")
    let numbers = Emitter<Int>()
    let headers: @Sendable (Int) throws -> MessageHeaders = { number in
      if number == 2 { throw Failure() }
      return try MessageHeaders(["Number": number == 1 ? "a\nb" : "c"])
    }
    bus.send(numbers.signal, to: "numbers", headers: headers)
    stream.send(numbers.signal, to: "numbers2.new", headers: headers)

    for number in 0...3 { numbers.invoke(number) }
    try await stream.flush()

    #expect(await received.wait(for: 2) == [0, 3])
    let reported = await errors.wait(for: 4)
    for subject in ["numbers", "numbers2.new"] {
      #expect(reported.contains(.unencodable(subject: subject, reason: "Failure()")))
    }
    #expect(reported.allSatisfy { if case .unencodable = $0 { true } else { false } })
  }

  @Test(arguments: Kind.allCases)
  func `headers count for the size of a message, and of what waits`(kind: Kind) async throws {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.instruments = []
    options.outboxLimit = 10_000
    let bus = try await server.bus(options)
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    let (numbers, size) = (Emitter<Int>(), bus.maximumSize)
    let large = try MessageHeaders(["Large": String(repeating: "x", count: size)])
    bus.send(numbers.signal, to: "numbers", headers: { _ in large })
    let stream = try await bus.stream("stored")
    stream.send(numbers.signal, to: "stored.new", headers: { _ in large })

    numbers.invoke(1)

    // A payload of one byte, and the lines "NATS/1.0", "Large: …" and an empty one.
    let tooLarge = BusError.tooLarge(subject: "numbers", size: size + 22, limit: size)
    #expect(await until { errors.count >= 2 })
    #expect(errors.all.contains(tooLarge))
    await #expect {
      try await bus.ask(1, at: "numbers", for: Int.self, headers: large)
    } throws: { if case BusError.tooLarge = $0 { true } else { false } }
    let medium = try MessageHeaders(["Medium": String(repeating: "x", count: 9990)])
    let others = Emitter<Int>()
    bus.send(others.signal, to: "others", headers: { _ in medium })
    others.invoke(1)
    #expect(
      await until {
        errors.all.contains(.lost(count: 1, subject: nil, because: .outboxFull))
      })
  }

  @Test(arguments: Kind.allCases)
  func `a stream keeps headers, and a dead letter has them, too`(kind: Kind) async throws {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.instruments = []
    options.maximumDeliveries = 1
    let bus = try await server.bus(options)
    let (received, buried) = (Trace<StreamMessage<Int>>(), Trace<MessageHeaders>())
    let stream = try await bus.stream("numbers")
    let numbers = Emitter<Int>()
    stream.send(
      numbers.signal, to: "numbers.new",
      headers: { number in
        number == 0 ? MessageHeaders() : try MessageHeaders(["Number": "\(number)"])
      })
    for number in 0..<3 { numbers.invoke(number) }
    try await stream.flush()

    stream.consumer("one", of: Int.self).connect(throwing: { message in
      received.append(message)
      if message.payload == 2 { throw Failure() }
    })

    let messages = await received.wait(for: 3)
    #expect(messages[0].headers.isEmpty)
    #expect(messages[1].headers["number"] == "1")
    let letters = try await bus.stream("dead-letters")
    letters.consumer("two", of: Int.self).connect(on: .inline) { buried.append($0.headers) }
    let headers = try #require(await buried.wait(for: 1).first)
    #expect(headers["Number"] == "2")
    #expect(headers.values(for: "Dead-Letter-Error") == ["Failure()"])
    #expect(headers["Dead-Letter-Subject"] == "numbers.new")
  }

  @Test(arguments: Kind.allCases)
  func `a question has headers`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    bus.answer("tenant", of: Int.self) { message in
      message.headers.values(for: "tenant").joined(separator: " ")
    }
    try await bus.flush()

    let headers = try MessageHeaders(["Tenant": "a", "TENANT": "b"])
    let answer = try await bus.ask(7, at: "tenant", for: String.self, headers: headers)

    #expect(answer == "a b")
  }

  @Test(arguments: ["", " ", "a\0b", "a\r\nMore: b"])
  func `an identity that NATS cannot send is an error`(id: String) async throws {
    let server = try TestServer(.inMemory)
    let bus = try await server.bus()
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    let stream = try await bus.stream("numbers")
    let numbers = Emitter<Int>()
    stream.send(numbers.signal, to: "numbers.new", id: { _ in id })

    await #expect {
      try await stream.emit(1, to: "numbers.new", id: id)
    } throws: { if case BusError.invalid = $0 { true } else { false } }
    numbers.invoke(2)

    #expect(await until { errors.all.contains { if case .invalid = $0 { true } else { false } } })
    try await stream.flush()
    #expect(bus.state.value == .connected)
    let raw = try RawClient(port: server.server.port)
    #expect(
      try raw.request("$JS.API.STREAM.INFO.numbers", "").contains("\"messages\":0,"))
  }

  @Test(arguments: ["", " ", "\u{85}"], Kind.allCases)
  func `an error without a text is an error of an answer and of a dead letter`(
    text: String, kind: Kind
  ) async throws {
    struct Silent: Error, CustomStringConvertible { let description: String }
    let server = try TestServer(kind)
    var options = BusOptions.patient
    options.instruments = []
    options.maximumDeliveries = 1
    let bus = try await server.bus(options)
    bus.answer("price", as: .bytes, with: .bytes) { _ in throw Silent(description: text) }
    try await bus.flush()

    await #expect {
      try await bus.ask([1], at: "price", as: .bytes, for: .bytes)
    } throws: { if case BusError.refused = $0 { true } else { false } }

    let orders = try await bus.stream("orders")
    orders.consumer("billing", of: Int.self).connect(throwing: { _ in
      throw Silent(description: text)
    })
    try await orders.emit(1, to: "orders.new", headers: MessageHeaders(["Tenant": "seven"]))
    let letters = Trace<MessageHeaders>()
    try await bus.stream("dead-letters").consumer("clerk", of: Int.self).connect(on: .inline) {
      letters.append($0.headers)
    }
    let letter = try #require(await letters.wait(for: 1).first)
    #expect(letter["Tenant"] == "seven")
    #expect(letter["Dead-Letter-Sequence"] == "1")
  }
}
