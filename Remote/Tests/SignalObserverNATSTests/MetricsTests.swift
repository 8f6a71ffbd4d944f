import CoreMetrics
import MetricsTestKit
import NATSServer
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSMetrics
import Testing

/// What a bus counts and measures.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(1))) struct MetricsTests {
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
