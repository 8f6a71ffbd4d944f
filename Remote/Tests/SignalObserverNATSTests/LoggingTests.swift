import InMemoryLogging
import Logging
import NATSServer
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSLogging
import Testing

/// What a bus writes to a logger.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(1))) struct LoggingTests {
  private struct Failure: Error {}

  @Test(arguments: Kind.allCases)
  func `errors and states are entries, each with a level and its details`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let handler = InMemoryLogHandler()
    var options = BusOptions()
    options.instruments = [
      .logging(to: Logger(label: "test") { _ in handler }, as: "orders")
    ]
    options.maximumDeliveries = 1
    let bus = try await server.bus(options)
    let size = bus.maximumSize
    let (large, numbers) = (Emitter<[UInt8]>(), Emitter<Int>())
    bus.send(large.signal, to: "large", as: .bytes)
    bus.signal("raw", of: Int.self).connect(on: .inline) { _ in }
    try await bus.flush()
    let stream = try await bus.stream("stored")
    stream.send(numbers.signal, to: "stored.new")
    stream.consumer("failing", of: Int.self).connect(throwing: { _ in throw Failure() })

    large.invoke([UInt8](repeating: 0, count: size + 1))
    try RawClient(port: server.server.port).publish("raw", "no number")
    numbers.invoke(1)
    #expect(await until { handler.entries.contains { $0.metadata["error"] == "gaveUp" } })
    await bus.close(within: .seconds(5))
    #expect(await until { handler.entries.last?.metadata["state"] == "closed" })

    let entries = handler.entries
    #expect(entries.allSatisfy { $0.metadata["bus"] == "orders" })
    let tooLarge = try #require(entries.first { $0.metadata["error"] == "tooLarge" })
    #expect(tooLarge.level == .error)
    #expect(
      tooLarge.metadata == [
        "bus": "orders", "error": "tooLarge", "subject": "large", "size": "\(size + 1)",
        "limit": "\(size)",
      ])
    #expect("\(tooLarge.message)".hasPrefix("tooLarge"))
    let undecodable = try #require(entries.first { $0.metadata["error"] == "undecodable" })
    #expect(undecodable.metadata["subject"] == "raw")
    #expect(undecodable.metadata["bytes"] == nil)
    let threw = try #require(entries.first { $0.metadata["error"] == "slotThrew" })
    #expect(threw.level == .warning)
    #expect(threw.metadata["reason"] == "Failure()")
    #expect(
      entries.filter { $0.metadata["state"] != nil }.map { "\($0.level) \($0.message)" } == [
        "notice the bus is connected", "notice the bus is closed",
      ])
  }

  @Test func `without other instruments, errors are lines on the standard error`() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      for instrument in BusOptions().instruments { instrument.error?(.timeout(subject: "numbers")) }
    }

    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("SignalObserverNATS: timeout(subject: \"numbers\")\n"))
  }

  @Test func `one detail is an entry of the metadata, and one that is missing is not`()
    async throws
  {
    let handler = InMemoryLogHandler()
    let logging = BusInstrument.logging(to: Logger(label: "test") { _ in handler })
    let error = try #require(logging.error)

    error(.connection(reason: "gone"))
    error(.lost(count: 7, subject: nil, because: .slowSlots))
    error(.lost(count: 8, subject: "numbers", because: .outboxFull))
    error(.closed)

    #expect(
      handler.entries.map(\.metadata) == [
        ["bus": "nats", "error": "connection", "reason": "gone"],
        ["bus": "nats", "error": "lost", "count": "7", "because": "slowSlots"],
        [
          "bus": "nats", "error": "lost", "count": "8", "subject": "numbers",
          "because": "outboxFull",
        ],
        ["bus": "nats", "error": "closed"],
      ])
    #expect(handler.entries.map(\.level) == [.warning, .error, .error, .error])
  }
}
