import Logging
import NATSServer
import ServiceLifecycle
import ServiceLifecycleTestKit
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSLifecycle
import Testing

/// A bus as a service.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct LifecycleTests {
  @Test(arguments: Kind.allCases)
  func `a graceful shutdown drains the bus, and closes it`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (bus, receiver) = (try await server.bus(), try await server.bus())
    let stream = try await bus.stream("stored")
    let numbers = Emitter<Int>()
    stream.send(numbers.signal, to: "stored.new")
    bus.send(numbers.signal, to: "numbers")
    let received = Trace<Int>()
    receiver.signal("numbers", of: Int.self).connect(on: .inline) { received.append($0.payload) }
    try await receiver.flush()

    try await testGracefulShutdown { trigger in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await BusService(bus).run() }
        for number in 0..<1000 { numbers.invoke(number) }
        trigger.triggerGracefulShutdown()
        try await group.waitForAll()
      }
    }

    #expect(await until { bus.state.value == .closed })
    #expect(difference(await received.wait(for: 1000), 0..<1000) == nil)
    let stored = Trace<Int>()
    let again = try await receiver.stream("stored")
    again.consumer("all", of: Int.self, batch: 100).connect(on: .inline) {
      stored.append($0.payload)
    }
    #expect(difference(await stored.wait(for: 1000), 0..<1000) == nil)
    // What is emitted later is not sent.
    numbers.invoke(1000)
    #expect(numbers.signal.slotCount == 0)
  }

  @Test(arguments: Kind.allCases)
  func `a group shuts the bus down after the services behind it`(kind: Kind) async throws {
    struct Shop: Service {
      let sold: Emitter<Int>
      let started: Trace<Int>
      func run() async throws {
        started.append(0)
        try await gracefulShutdown()
        sold.invoke(7)
      }
    }
    let server = try TestServer(kind)
    let (bus, receiver) = (try await server.bus(), try await server.bus())
    let (sold, received) = (Emitter<Int>(), Trace<Int>())
    bus.send(sold.signal, to: "sold")
    receiver.signal("sold", of: Int.self).connect(on: .inline) { received.append($0.payload) }
    try await receiver.flush()
    let shop = Shop(sold: sold, started: Trace())
    let group = ServiceGroup(services: [BusService(bus), shop], logger: Logger(label: "test"))

    async let run: Void = group.run()
    _ = await shop.started.wait(for: 1)
    await group.triggerGracefulShutdown()
    try await run

    #expect(await received.wait(for: 1) == [7])
    #expect(await until { bus.state.value == .closed })
  }

  @Test(arguments: Kind.allCases)
  func `a cancelled task closes the bus at once`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let task = Task { try await BusService(bus).run() }

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await until { bus.state.value == .closed })
  }

  @Test(arguments: [false, true], Kind.allCases)
  func `a drained bus has handled what its slots have, and the next process begins behind that`(
    isShared: Bool, kind: Kind
  ) async throws {
    let server = try TestServer(kind)
    let (bus, other) = (try await server.bus(), try await server.bus())
    let (numbers, handled, entered) = (Emitter<Int>(), Trace<Int>(), Trace<Int>())
    let gate = AsyncStream<Void>.makeStream()
    let stream = try await bus.stream("stored")
    stream.send(numbers.signal, to: "stored.new")
    for number in 0..<10 { numbers.invoke(number) }
    try await stream.flush()
    let consumer = stream.consumer("one", of: Int.self, isShared: isShared, batch: 100)
    consumer.connect(throwing: { message in
      if message.payload == 3 {
        entered.append(3)
        for await _ in gate.stream { break }
      }
      handled.append(message.payload)
    })
    _ = await entered.wait(for: 1)

    async let left = bus.close(within: .seconds(30))
    #expect(await until { numbers.signal.slotCount == 0 })
    gate.continuation.finish()

    #expect(await left == 0)
    #expect(handled.all == [0, 1, 2, 3])
    let rest = Trace<Int>()
    let again = try await other.stream("stored")
    again.consumer("one", of: Int.self, isShared: isShared).connect(throwing: { message in
      rest.append(message.payload)
    })
    #expect(await rest.wait(for: 6).sorted() == Array(4..<10))
  }
}
