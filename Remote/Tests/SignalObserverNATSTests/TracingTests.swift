import Dispatch
import InMemoryTracing
import NATSServer
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSTracing
import Testing
import Tracing

/// The context of a trace, which messages carry.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(1))) struct TracingTests {
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
