import CoreMetrics
import Dispatch
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import NATSServer
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSLogging
import SignalObserverNATSMetrics
import SignalObserverNATSTracing
import Testing
import Tracing

/// What a bus writes to a logger.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct LoggingTests {
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

/// What a bus counts and measures.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct MetricsTests {
  private func bus(
    _ server: TestServer, _ metrics: TestMetrics, _ change: (inout BusOptions) -> Void = { _ in }
  ) async throws -> Bus {
    var options = BusOptions()
    options.instruments = [.metrics(dimensions: [("bus", "one")], factory: metrics)]
    change(&options)
    return try await server.bus(options)
  }

  @Test(arguments: Kind.allCases)
  func `every message and byte is counted that is sent, stored, delivered and handled`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (sending, receiving) = (TestMetrics(), TestMetrics())
    let sender = try await bus(server, sending)
    let receiver = try await bus(server, receiving)
    let (received, handled) = (Trace<Int>(), Trace<Int>())
    receiver.signal("numbers", of: [UInt8].self, as: .bytes).connect(on: .inline) {
      received.append($0.payload.count)
    }
    receiver.answer("question", of: Int.self) { $0.payload }
    try await receiver.flush()
    let payloads = Emitter<[UInt8]>()
    sender.send(payloads.signal, to: "numbers", as: .bytes)
    let stream = try await sender.stream("stored")
    stream.send(payloads.signal, to: "stored.new", as: .bytes)

    for _ in 0..<1000 { payloads.invoke([1, 2, 3]) }
    try await stream.flush()
    _ = try await sender.ask(7, at: "question", for: Int.self)
    _ = await received.wait(for: 1000)
    let again = try await receiver.stream("stored")
    again.consumer("all", of: [UInt8].self, as: .bytes, batch: 100).connect(throwing: {
      handled.append($0.payload.count)
    })
    _ = await handled.wait(for: 1000)
    #expect(await sender.close(within: .seconds(10)) == 0)
    #expect(await receiver.close(within: .seconds(10)) == 0)

    let own = [("bus", "one")]
    func total(_ metrics: TestMetrics, _ name: String) -> Int64 {
      metrics.counterTotal(label: name, dimensions: own)
    }
    // The last state is announced behind everything that is measured.
    for metrics in [sending, receiving] {
      #expect(await until { (try? metrics.expectGauge("nats_connected", own).values) == [1, 0] })
    }
    // The question is not among the messages over core subjects.
    #expect(total(sending, "nats_sent_messages") == 1000)
    #expect(total(sending, "nats_sent_bytes") == 3000)
    #expect(total(sending, "nats_stored_messages") == 1000)
    #expect(total(sending, "nats_stored_bytes") == 3000)
    // The question is delivered, too.
    #expect(total(receiving, "nats_delivered_messages") == 2001)
    #expect(total(receiving, "nats_delivered_bytes") == 6001)
    #expect(try sending.expectTimer("nats_round_trip", own).values.allSatisfy { $0 > 0 })
    let storing = try sending.expectTimer("nats_storing", own + [("stream", "stored")])
    #expect((1...1000).contains(storing.values.count))
    let handling = own + [("consumer", "all"), ("stream", "stored")]
    #expect(try receiving.expectTimer("nats_handling", handling).values.count == 1000)
    #expect(try sending.expectTimer("nats_asking", own).values.count == 1)
    let answering = own + [("subject", "question")]
    #expect(try receiving.expectTimer("nats_answering", answering).values.count == 1)
    #expect(try sending.expectGauge("nats_unsent_messages", own).lastValue == 0)
  }

  @Test(arguments: Kind.allCases)
  func `what is lost is counted with the reason, and what waits is measured`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let metrics = TestMetrics()
    let bus = try await bus(server, metrics) { options in
      options.outboxLimit = 1000
      options.timeout = .milliseconds(400)
    }
    let payloads = Emitter<[UInt8]>()
    bus.send(payloads.signal, to: "numbers", as: .bytes)
    try await bus.flush()
    server.server.kill()
    #expect(await until { bus.state.value == .reconnecting })

    for _ in 0..<20 { payloads.invoke([UInt8](repeating: 0, count: 76)) }

    let reason = [("bus", "one"), ("reason", "outboxFull")]
    #expect(
      await until { metrics.counterTotal(label: "nats_lost_messages", dimensions: reason) == 10 })
    #expect(
      await until {
        (try? metrics.expectGauge("nats_unsent_messages", [("bus", "one")]).lastValue) == 10
      })
    let kind = [("bus", "one"), ("kind", "lost")]
    #expect(metrics.counterTotal(label: "nats_errors", dimensions: kind) == 1)
  }
}

/// The context of a trace, which messages carry.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct TracingTests {
  private actor Board {
    let spans: Trace<String?>
    init(_ spans: Trace<String?>) { self.spans = spans }
    func show(_ message: Message<Int>) { spans.append(ServiceContext.current?.spanID) }
  }

  /// A context with a value that no header can have.
  private struct Bad: Instrument {
    func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
      _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
      injector.inject("a\nb", forKey: "trace", into: &carrier)
    }
  }

  private let tracer = InMemoryTracer()

  private func buses(
    _ server: TestServer, _ instrument: (any Instrument)? = nil
  ) async throws -> (Bus, Bus) {
    var options = BusOptions()
    options.instruments = [.tracing(with: instrument ?? tracer)]
    return (try await server.bus(options), try await server.bus(options))
  }

  /// Runs the body in a span, and returns the identifier of the span.
  private func inSpan(_ body: () -> Void) throws -> String {
    let span = tracer.startSpan("emission", context: ServiceContext.current ?? .topLevel)
    defer { span.end() }
    ServiceContext.withValue(span.context, operation: body)
    return try #require(span.context.spanID)
  }

  @Test(arguments: Kind.allCases)
  func `every slot of a signal runs in the trace of the emission, in whichever place`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (sender, receiver) = try await buses(server)
    let (inline, queued, sleeping, acting) = (
      Trace<String?>(), Trace<String?>(), Trace<String?>(), Trace<String?>()
    )
    let remote = receiver.signal("numbers", of: Int.self)
    remote.map(\.payload).connect(on: .inline) { _ in inline.append(ServiceContext.current?.spanID)
    }
    remote.connect(on: DispatchQueue(label: "slot")) { _ in
      queued.append(ServiceContext.current?.spanID)
    }
    remote.connect { @Sendable _ async in
      await Task.yield()
      sleeping.append(ServiceContext.current?.spanID)
    }
    let board = Board(acting)
    remote.connect(board) { board, message in board.show(message) }
    try await receiver.flush()
    let numbers = Emitter<Int>()
    sender.send(numbers.signal, to: "numbers")

    let first = try inSpan { numbers.invoke(1) }
    numbers.invoke(2)
    let third = try inSpan { numbers.invoke(3) }

    for trace in [inline, queued, sleeping, acting] {
      #expect(await trace.wait(for: 3) == [first, nil, third])
    }
    #expect(ServiceContext.current == nil)
  }

  @Test(arguments: Kind.allCases)
  func `a span of a slot is a child, over a signal, a stream and a question`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (sender, receiver) = try await buses(server)
    let tracer = tracer
    @Sendable func work(_ name: String) { tracer.withSpan(name) { _ in } }
    let (numbers, handled) = (Emitter<Int>(), Trace<Int>())
    // What a slot sends stays in the trace.
    let again = Emitter<Int>()
    receiver.send(again.signal, to: "again")
    receiver.signal("numbers", of: Int.self).connect { @Sendable message async in
      work("signal")
      again.invoke(message.payload)
    }
    receiver.signal("again", of: Int.self).connect(on: .inline) { message in
      work("again")
      handled.append(message.payload)
    }
    receiver.answer("question", of: Int.self) { message in
      work("question")
      return message.payload
    }
    let stream = try await sender.stream("stored")
    stream.send(numbers.signal, to: "stored.new")
    for (index, consumer) in [
      stream.consumer("throwing", of: Int.self), stream.consumer("inline", of: Int.self),
    ].enumerated() {
      if index == 0 {
        consumer.connect(throwing: { message in
          work("throwing")
          handled.append(message.payload)
        })
      } else {
        consumer.connect(on: .inline) { message in
          work("inline")
          handled.append(message.payload)
        }
      }
    }
    sender.send(numbers.signal, to: "numbers")
    try await receiver.flush()

    let emission = try inSpan { numbers.invoke(1) }
    let asking = tracer.startSpan("asking", context: .topLevel)
    _ = try await ServiceContext.withValue(asking.context) {
      try await sender.ask(7, at: "question", for: Int.self)
    }
    // Otherwise the tracer and the span would keep each other.
    asking.end()

    _ = await handled.wait(for: 3)
    #expect(await until { tracer.finishedSpans.count >= 7 })
    let parents = Dictionary(
      tracer.finishedSpans.map { ($0.operationName, $0.spanContext.parentSpanID) },
      uniquingKeysWith: { one, _ in one })
    for name in ["signal", "again", "throwing", "inline"] { #expect(parents[name] == emission) }
    #expect(parents["question"] == asking.context.spanID)
  }

  @Test(arguments: Kind.allCases)
  func `headers of the user's stay beside those of the trace`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (sender, receiver) = try await buses(server)
    let received = Trace<MessageHeaders>()
    receiver.signal("numbers", of: Int.self).connect(on: .inline) { received.append($0.headers) }
    try await receiver.flush()
    let numbers = Emitter<Int>()
    sender.send(
      numbers.signal, to: "numbers", headers: { _ in try MessageHeaders(["Tenant": "seven"]) })

    let span = try inSpan { numbers.invoke(1) }

    let headers = try #require(await received.wait(for: 1).first)
    #expect(headers["Tenant"] == "seven")
    #expect(headers[InMemoryTracer.spanIDKey] == span)
  }

  @Test(arguments: Kind.allCases)
  func `a context that no header can have is an error, and the message is sent`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (sender, receiver) = try await buses(server, Bad())
    let (received, errors) = (Trace<Message<Int>>(), Trace<BusError>())
    receiver.signal("numbers", of: Int.self).connect(on: .inline) { received.append($0) }
    sender.errors.connect(on: .inline) { errors.append($0) }
    try await receiver.flush()
    let numbers = Emitter<Int>()
    sender.send(numbers.signal, to: "numbers")

    _ = try inSpan { numbers.invoke(1) }

    let message = try #require(await received.wait(for: 1).first)
    #expect(message.headers.isEmpty)
    #expect(
      await errors.wait(for: 1) == [
        .invalid(text: "a\nb", reason: "the value of a header is one line of text, and not empty")
      ])
  }
}

extension ServiceContext {
  fileprivate var spanID: String? { inMemorySpanContext?.spanID }
}
