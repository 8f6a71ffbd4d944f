import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Payloads whose type has changed, and what cannot be decoded.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PayloadTests {
  @Test(arguments: [false, true])
  func `a message of a stream that cannot be decoded is a dead letter, with the error`(
    isShared: Bool
  ) async throws {
    let server = try TestServer()
    var options = BusOptions()
    options.log = nil
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
    #expect(text.contains("Dead-Letter-Error: ") && text.contains("Dead-Letter-Sequence: 2\r\n"))
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
}
