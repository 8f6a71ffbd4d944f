import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Consumers that write a mark for several messages together.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct BatchTests {
  @Test(arguments: Kind.allCases)
  func `a batch has one mark, and so have the last messages`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let numbers = try await stored(1030, bus)
    let trace = Trace<Int>()

    let consumer = try await bus.stream("orders").consumer("billing", of: Int.self, batch: 100)
    consumer.connect(on: .inline) { trace.append($0.payload) }

    #expect(difference(await trace.wait(for: 1030), 0..<1030) == nil)
    #expect(await until { consumer.handledSequence == 1030 })
    // One is of the beginning, and there is one for each second.
    #expect((12...60).contains(try marks(on: server)))
    numbers.invoke(1030)
    #expect(await until { consumer.handledSequence == 1031 })
  }

  @Test(arguments: Kind.allCases)
  func `R3: after a death at most a batch is delivered again, and each message says so`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let numbers = try await stored(1000, bus)
    let file = server.folder.appending(path: "handled").path
    let peer = try Peer(["batch", server.server.url, "orders", "billing", file, "777"])
    #expect(await peer.hasPrinted("paused 777"))
    peer.kill()
    #expect(difference(numbersIn(file), 0..<777) == nil)

    let trace = Trace<StreamMessage<Int>>()
    try await bus.stream("orders").consumer("billing", of: Int.self).connect(on: .inline) {
      trace.append($0)
    }
    #expect(await until { trace.all.last?.payload == 999 })
    numbers.invoke(1000)
    #expect(await until { trace.all.last?.payload == 1000 })

    let first = try #require(trace.all.first?.payload)
    #expect((727...777).contains(first))
    #expect(difference(trace.all.map(\.payload), first...1000) == nil)
    #expect(trace.all.filter(\.mayBeRepeated).map(\.payload) == Array(first..<first + 50))
  }

  @Test(arguments: Kind.allCases)
  func `messages that arrive while a slot runs have one mark`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let numbers = try await stored(0, bus)
    let (trace, gate) = (Trace<Int>(), DispatchSemaphore(value: 0))
    let orders = try await bus.stream("orders")
    let consumer = orders.consumer("billing", of: Int.self, batch: 1000)
    consumer.connect(on: .inline) { message in
      trace.append(message.payload)
      if message.payload == 0 { gate.wait() }
    }
    numbers.invoke(0)
    #expect(await trace.wait(for: 1) == [0])

    for number in 1...100 {
      // Each is the last one when the server sends it.
      numbers.invoke(number)
      try await orders.flush()
    }
    gate.signal()

    #expect(await until { consumer.handledSequence == 101 })
    #expect(try marks(on: server) < 30)
  }

  @Test func `the mark is written, and the next messages are on their way, while a slot runs`()
    async throws
  {
    let server = try TestServer()
    let bus = try await server.bus()
    _ = try await stored(2000, bus)
    let (trace, gate) = (Trace<Int>(), DispatchSemaphore(value: 0))
    let consumer = try await bus.stream("orders").consumer("billing", of: Int.self, batch: 500)
    consumer.connect(on: .inline) { message in
      trace.append(message.payload)
      if message.payload == 749 { gate.wait() }
    }
    #expect(await trace.wait(for: 750).count == 750)

    // The second half of the second batch is in the slot.
    #expect(await until { consumer.handledSequence >= 500 })
    let raw = try RawClient(port: server.server.port)
    #expect(
      await until {
        let list = try? raw.request("$JS.API.CONSUMER.LIST.orders", "")
        return list?.contains(#""delivered":{"consumer_seq":2000,"stream_seq":2000"#) == true
      })
    gate.signal()
    #expect(difference(await trace.wait(for: 2000), 0..<2000) == nil)
  }

  @Test(arguments: Kind.allCases)
  func `if a slot throws, the messages before are not delivered again`(kind: Kind) async throws {
    struct Failure: Error {}
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let numbers = try await stored(5, bus)
    let trace = Trace<Int>()
    let consumer = try await bus.stream("orders").consumer("billing", of: Int.self, batch: 100)
    let observer = consumer.connect(throwing: { message in
      trace.append(message.payload)
      if message.payload == 3 { throw Failure() }
    })

    #expect(await until { consumer.handledSequence == 3 })
    observer.cancel()
    #expect(trace.all.prefix(4) == [0, 1, 2, 3])
    #expect(await until { !trace.all.isEmpty })
    let second = Trace<Int>()
    consumer.connect(on: .inline) { second.append($0.payload) }
    #expect(await second.wait(for: 2) == [3, 4])
    numbers.invoke(5)
    #expect(await second.wait(for: 3) == [3, 4, 5])
  }

  @Test(arguments: Kind.allCases)
  func `a consumer that ends writes the mark of what it has handled`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    _ = try await stored(200, bus)
    let orders = try await bus.stream("orders")
    let (first, second, gate) = (Trace<Int>(), Trace<Int>(), DispatchSemaphore(value: 0))
    do {
      let consumer = orders.consumer("billing", of: Int.self, batch: 1000)
      let observer = consumer.connect(on: .inline) { message in
        first.append(message.payload)
        if message.payload == 99 { gate.wait() }
      }
      #expect(await first.wait(for: 100).count == 100)
      observer.cancel()
    }
    gate.signal()

    orders.consumer("billing", of: Int.self).connect(on: .inline) { second.append($0.payload) }

    #expect(await second.wait(for: 100) == Array(100..<200))
  }

  /// How often a mark was written.
  private func marks(on server: TestServer) throws -> Int {
    let raw = try RawClient(port: server.server.port)
    let info = try raw.request("$JS.API.STREAM.INFO.KV_signal-consumers", "")
    let last = info.split(separator: "\"last_seq\":").dropFirst().first
    return try #require(last.flatMap { Int($0.prefix { $0.isNumber }) })
  }

  /// Stores numbers in a stream, and returns what stores more.
  private func stored(_ count: Int, _ bus: Bus) async throws -> Emitter<Int> {
    let numbers = Emitter<Int>()
    let orders = try await bus.stream("orders")
    orders.send(numbers.signal, to: "orders.new")
    for number in 0..<count { numbers.invoke(number) }
    try await orders.flush()
    return numbers
  }
}
