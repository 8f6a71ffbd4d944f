import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Payloads whose type has changed, and what cannot be decoded.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct PayloadTests {
  @Test(arguments: [false, true], Kind.allCases)
  func `a message of a stream that cannot be decoded is a dead letter, with the error`(
    isShared: Bool, kind: Kind
  ) async throws {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.instruments = []
    let bus = try await server.bus(options)
    let orders = try await bus.stream("orders")
    let (handled, errors) = (Trace<Int>(), Trace<BusError>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    let bytes = [UInt8]("{\"no number\":1}".utf8)
    try await orders.emit(1, to: "orders.new")
    try await orders.emit(bytes, to: "orders.new", as: .bytes)
    try await orders.emit(3, to: "orders.new")

    let billing = orders.consumer("billing", of: Int.self, isShared: isShared)
    billing.connect(on: .inline) { handled.append($0.payload) }

    #expect(await handled.wait(for: 2) == [1, 3])
    #expect(await until { billing.handledSequence == 3 })
    let (letters, read) = (try await bus.stream("dead-letters"), Trace<StreamMessage<[UInt8]>>())
    letters.consumer("clerk", of: [UInt8].self, as: .bytes).connect(on: .inline) { read.append($0) }
    #expect(await read.wait(for: 1).map(\.subject) == ["dead-letters.orders.billing"])
    #expect(read.all.map(\.payload) == [bytes])
    let raw = try RawClient(port: server.server.port)
    let letter = try raw.request("$JS.API.STREAM.MSG.GET.dead-letters", #"{"seq":1}"#)
    let header = letter.split(separator: "\"hdrs\":\"").dropFirst().first?.prefix { $0 != "\"" }
    let text = String(
      decoding: header.flatMap { Data(base64Encoded: String($0)) } ?? Data(), as: UTF8.self)
    #expect(text.contains("Dead-Letter-Error: "))
    #expect(text.contains("Dead-Letter-Sequence: 2\r\n"))
    guard case .undecodable("orders.new", bytes, let reason) = errors.all.first else {
      Issue.record("\(errors.all)")
      return
    }
    #expect(text.contains(reason.prefix(40)))

    // A dead letter that cannot be decoded is not one once more.
    letters.consumer("other", of: Int.self, isShared: isShared).connect(on: .inline) { _ in }
    #expect(await errors.wait(for: 2).count == 2)
    try await letters.emit(7, to: "dead-letters.x")
    #expect(await read.wait(for: 2).map(\.subject).last == "dead-letters.x")
  }

  @Test(arguments: Kind.allCases)
  func `what a signal, a slot that answers or a value cannot decode has its place`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (found, errors) = (Trace<String>(), Trace<BusError>())
    var options = BusOptions()
    options.instruments = []
    options.undecodable = { message, error in
      found.append("\(message.subject) \(message.payload.count) \(error is DecodingError)")
    }
    let (bus, other) = (try await server.bus(options), try await server.bus())
    bus.errors.connect(on: .inline) { errors.append($0) }
    let received = Trace<Int>()
    bus.signal("n", of: Int.self).connect(on: .inline) { received.append($0.payload) }
    bus.answer("ask", of: Int.self) { $0.payload }
    let value = try await bus.value("v", of: Int.self, initially: 1)
    try await bus.flush()
    let bytes = Emitter<[UInt8]>()
    other.send(bytes.signal, to: "n", as: .bytes)

    bytes.invoke([UInt8](repeating: 120, count: 5000))
    bytes.invoke([UInt8]("7".utf8))
    #expect(await received.wait(for: 1) == [7])
    await #expect {
      try await other.ask("seven", at: "ask", for: Int.self)
    } throws: { error in
      if case BusError.refused("ask", 0, _) = error { true } else { false }
    }
    try await other.value("v", of: String.self, initially: "", as: .json).set("two")

    #expect(await found.wait(for: 3) == ["n 5000 true", "ask 7 true", "$KV.signals.v 5 true"])
    #expect(value.value == 1)
    guard case .undecodable("n", let first, _) = await errors.wait(for: 3).first else {
      Issue.record("\(errors.all)")
      return
    }
    #expect(first.count == 1024)
  }

  private struct Address: Codable, Sendable, Equatable {
    var city: String
    var zip = "?"
  }

  private enum State: Codable, Sendable, Equatable {
    case new
    case paid(by: String)
  }

  private struct Order: Codable, Sendable, Equatable {
    var number: Int
    var currency: String
    var price: Decimal
    var note: String?
    var address: Address
    var items: [Address]
    var counts: [String: Int]
    var state: State
  }

  private let defaults = Order(
    number: 0, currency: "EUR", price: 1, note: "none", address: Address(city: "here", zip: "0"),
    items: [Address(city: "", zip: "first")], counts: ["a": 1], state: .paid(by: "card"))

  @Test func `missing fields have defaults, in nested objects and arrays, and unknown ones pass`()
    throws
  {
    let coding = Coding.json(defaults: defaults)
    let text = #"""
      { "unknown" : [{"}": "\""}], "number":7,"price":12345678901234567890.12,
        "address": { "city" : "there" }, "items":[{"city":"x","zip":"1"} , {"city":"y"}, {"zip":"2"}],
        "counts": {"b":2}, "state": {"new":{}} }
      """#

    let order = try #require(coding.decoded(Data(text.utf8)))

    #expect(order.number == 7)
    #expect(order.currency == "EUR")
    // A field that is there keeps every digit.
    #expect(order.price == Decimal(string: "12345678901234567890.12"))
    // A missing optional is nil.
    #expect(order.note == nil)
    #expect(order.address == Address(city: "there", zip: "0"))
    #expect(
      order.items
        == [
          Address(city: "x", zip: "1"), Address(city: "y", zip: "first"),
          Address(city: "", zip: "2"),
        ])
    #expect(order.counts == ["b": 2])
    #expect(order.state == .new)
    var all = defaults
    all.note = nil
    #expect(coding.decoded(Data("{}".utf8)) == all)
    #expect(coding.decoded(Data(" {\n} ".utf8)) == all)
    #expect(coding.roundTrip(defaults) == defaults)
  }

  @Test func `all elements of arrays get what they lack, however many there are`() throws {
    struct Part: Codable, Sendable, Equatable { var name: String, unit: String }
    struct Item: Codable, Sendable, Equatable { var number: Int, currency: String, parts: [Part] }
    let parts = [Part(name: "a", unit: "pc"), Part(name: "b", unit: "kg")]
    let coding = Coding.json(
      defaults: [Item(number: 0, currency: "EUR", parts: [Part(name: "", unit: "pc")])])
    let old = #"{"number":7,"parts":[{"name":"a"} , {"name":"b","unit":"kg"}]}"#
    let new = #"{"currency":"USD","number":8,"parts":[ ]}"#
    let text = "[" + Array(repeating: "\(old), \(new)", count: 10_000).joined(separator: ",") + "]"

    let items = try #require(coding.decoded(Data(text.utf8)))

    let pair = [
      Item(number: 7, currency: "EUR", parts: parts), Item(number: 8, currency: "USD", parts: []),
    ]
    #expect(difference(items, (0..<20_000).map { pair[$0 % 2] }) == nil)
  }

  @Test func `what defaults do not mend is an error as before`() throws {
    let coding = Coding.json(defaults: defaults)

    for text in [
      "", "[]", "null", "{", "{\"number\":null}", "{\"number\":\"7\"}",
      #"{"number":1,"currency":"USD","price":1,"address":{"city":1},"items":[]}"#,
    ] {
      #expect(coding.decoded(Data(text.utf8)) == nil)
    }
    // The elements of an array without a pattern.
    var none = defaults
    none.items = []
    let strict = Coding.json(defaults: none)
    #expect(strict.decoded(Data(#"{"items":[{"city":"x","zip":"1"}]}"#.utf8)) != nil)
    #expect(throws: DecodingError.self) {
      try [UInt8](#"{"items":[{"city":"x"}]}"#.utf8).withUnsafeBytes { try strict.decode($0) }
    }
  }

  @Test(arguments: Kind.allCases)
  func `a consumer of a newer type handles the messages of an older one`(kind: Kind) async throws {
    struct Old: Codable, Sendable { var number: Int }
    struct New: Codable, Sendable, Equatable { var number: Int, currency: String }
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let orders = try await bus.stream("orders")
    let (new, old) = (Trace<New>(), Trace<Int>())
    try await orders.emit(Old(number: 1), to: "orders.new")
    try await orders.emit(New(number: 2, currency: "USD"), to: "orders.new")

    let coding = Coding.json(defaults: New(number: 0, currency: "EUR"))
    orders.consumer("new", of: New.self, as: coding).connect(on: .inline) { new.append($0.payload) }
    orders.consumer("old", of: Old.self).connect(on: .inline) { old.append($0.payload.number) }

    let expected = [New(number: 1, currency: "EUR"), New(number: 2, currency: "USD")]
    #expect(await new.wait(for: 2) == expected)
    #expect(await old.wait(for: 2) == [1, 2])
  }
}
