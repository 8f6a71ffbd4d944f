import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Synchronization
import Testing

/// Consumers that begin somewhere, or mark batches, while somebody deletes their stream or their mark.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct LostStoreTests {
  private var quick: BusOptions {
    var options = BusOptions.quick(pingInterval: .milliseconds(500))
    // A busy machine may stop the process that has the mark for longer than a second, and a server
    // for longer than half a second. What is deleted is told at once, so no test waits for this.
    options.takeover = .seconds(4)
    options.timeout = .seconds(5)
    return options
  }

  /// A server, a stream of numbers, and what was reported and handled of them.
  private final class Orders: Sendable {
    let server: TestServer
    let bus: Bus
    let stream: RemoteStream
    let numbers = Emitter<Int>()
    let errors = Trace<BusError>()
    let handled = Trace<Int>()
    private let raw: RawClient

    init(_ options: BusOptions, _ kind: Kind = .program) async throws {
      server = try TestServer(kind)
      bus = try await server.bus(options)
      raw = try RawClient(port: server.server.port)
      bus.errors.connect(on: .inline) { [errors] in errors.append($0) }
      stream = try await bus.stream("orders")
      stream.send(numbers.signal, to: "orders.new")
    }

    func store(_ range: some Sequence<Int>) async throws {
      for number in range { numbers.invoke(number) }
      try await stream.flush()
    }

    /// Deletes something on the server.
    func delete(_ api: String) throws { _ = try raw.request("$JS.API.\(api)", "") }

    func ask(_ api: String, _ body: String = "") throws -> String {
      try raw.request("$JS.API.\(api)", body)
    }

    /// A slot that holds nothing but what was handled.
    ///
    /// A slot that held this object would hold the bus, which holds the slot, and the server.
    var note: @Sendable (StreamMessage<Int>) -> Void {
      { [handled] message in handled.append(message.payload) }
    }

    func lost(_ name: String) -> Int {
      errors.all.filter { $0 == .storeLost(name: name) }.count
    }
  }

  @Test(arguments: [StreamStart.end, .sequence(6)], [false, true])
  func `a consumer whose stream is deleted begins at the beginning of the new one`(
    start: StreamStart, isShared: Bool
  ) async throws {
    let orders = try await Orders(quick)
    try await orders.store(0..<5)
    let consumer = orders.stream.consumer("billing", from: start, of: Int.self, isShared: isShared)
    consumer.connect(on: .inline, orders.note)
    if isShared {
      #expect(
        await until {
          (try? orders.ask("CONSUMER.INFO.orders.billing").contains("billing\"")) == true
        })
    } else {
      #expect(
        await until {
          (try? orders.ask("STREAM.INFO.KV_signal-consumers").contains("\"messages\":1")) == true
        })
    }
    try await orders.store(5..<10)
    #expect(await orders.handled.wait(for: 5) == Array(5..<10))

    try orders.delete("STREAM.DELETE.orders")
    for number in 10..<15 { orders.numbers.invoke(number) }

    #expect(await orders.handled.wait(for: 10).sorted() == Array(5..<15))
    #expect(orders.lost("orders") == 1)
    #expect(await until { consumer.handledSequence == 5 })
  }

  @Test func `a batch that is handled when its stream is deleted marks nothing of the new one`()
    async throws
  {
    let orders = try await Orders(quick)
    try await orders.store(0..<50)
    let gate = DispatchSemaphore(value: 0)
    let consumer = orders.stream.consumer("billing", of: Int.self, batch: 100)
    consumer.connect(on: .inline) { [note = orders.note] message in
      note(message)
      if message.payload == 30 { gate.wait() }
    }
    #expect(await orders.handled.wait(for: 31) == Array(0...30))

    try orders.delete("STREAM.DELETE.orders")
    for number in 100..<160 { orders.numbers.invoke(number) }
    #expect(await until { orders.lost("orders") == 1 })
    gate.signal()

    #expect(await until { orders.handled.all.last == 159 })
    // What was on its way is still delivered.
    let new = orders.handled.all.filter { $0 >= 100 }
    #expect(new.sorted() == Array(100..<160))
    #expect(orders.handled.all.filter { $0 < 100 } == Array(0..<orders.handled.count - 60))
    #expect(await until { consumer.handledSequence == 60 })
  }

  @Test(arguments: [1, 100], Kind.allCases)
  func `R3: a consumer whose mark is deleted loses nothing, and handles nothing twice`(
    batch: Int, kind: Kind
  ) async throws {
    let orders = try await Orders(quick, kind)
    try await orders.store(0..<5)
    let consumer = orders.stream.consumer("billing", from: .end, of: Int.self, batch: batch)
    consumer.connect(on: .inline, orders.note)
    #expect(
      await until {
        (try? orders.ask("STREAM.INFO.KV_signal-consumers").contains("\"messages\":1")) == true
      })
    // Another process waits, which would begin at the beginning.
    let other = try await orders.server.bus(quick)
    let looks = Trace<Int>()
    orders.bus.signal(
      "$JS.API.STREAM.MSG.GET.KV_signal-consumers", of: [UInt8].self, as: .bytes
    ).connect(on: .inline) { looks.append($0.payload.count) }
    try await orders.bus.flush()
    let second = try await other.stream("orders").consumer("billing", of: Int.self)
    second.connect(on: .inline, orders.note)
    #expect(await looks.wait(for: 2).count >= 2)

    try orders.delete("STREAM.DELETE.KV_signal-consumers")
    try await orders.store(5..<300)
    #expect(difference(await orders.handled.wait(for: 295), 5..<300) == nil)
    try orders.delete("STREAM.DELETE.KV_signal-consumers")
    #expect(
      await until {
        (try? orders.ask("STREAM.INFO.KV_signal-consumers").contains("\"messages\":1")) == true
      })
    try await orders.store(300..<600)
    #expect(
      difference(await orders.handled.wait(for: 595), 5..<600) == nil, "\(orders.errors.all)")

    #expect(orders.lost("KV_signal-consumers") >= 1)
    #expect(await until { consumer.handledSequence == 600 || second.handledSequence == 600 })
    #expect(difference(orders.handled.all, 5..<600) == nil)
  }

  @Test(arguments: Kind.allCases)
  func `R3: the last message is marked although its request has ended meanwhile`(
    kind: Kind
  ) async throws {
    let orders = try await Orders(quick, kind)
    let raw = try RawClient(port: orders.server.server.port)
    try raw.say("SUB _INBOX.> 1\r\n")
    let gate = DispatchSemaphore(value: 0)
    let consumer = orders.stream.consumer("billing", of: Int.self, batch: 100)
    consumer.connect(on: .inline) { [note = orders.note] message in
      note(message)
      if message.sequence == 1 { gate.wait() }
    }
    try await orders.store([7, 8])
    #expect(await orders.handled.wait(for: 1) == [7])

    // Behind the second message, the server says that the request is over, to this client, too.
    _ = raw.read(until: " 408 ")
    try await orders.bus.flush()
    gate.signal()

    #expect(await until { consumer.handledSequence == 2 })
  }

  /// A server that deletes a bucket may take the files of the next one of that name with it.
  @Test func `R3: a bucket of marks whose files are gone is made again`() async throws {
    let orders = try await Orders(quick)
    _ = try orders.ask(
      "STREAM.CREATE.KV_signal-consumers",
      #"""
      {"name":"KV_signal-consumers","subjects":["$KV.signal-consumers.>"],
      "max_msgs_per_subject":1,"max_age":200000000,"duplicate_window":200000000}
      """#)
    // The server has several files, and needs another one for the next message.
    let raw = try RawClient(port: orders.server.server.port)
    let large = String(repeating: "x", count: 1_000_000)
    for _ in 0..<10 { _ = try raw.request("$KV.signal-consumers.other", large) }
    try FileManager.default.removeItem(
      at: orders.server.folder.appending(path: "jetstream/$G/streams/KV_signal-consumers"))
    #expect(
      await until {
        (try? orders.ask("STREAM.INFO.KV_signal-consumers").contains("\"messages\":0")) == true
      })
    #expect(try raw.request("$KV.signal-consumers.other", "").contains("no such file"))
    let consumer = orders.stream.consumer("billing", of: Int.self)
    consumer.connect(on: .inline, orders.note)
    try await orders.store(0..<5)

    #expect(await orders.handled.wait(for: 5) == Array(0..<5), "\(orders.errors.all)")
    #expect(await until { consumer.handledSequence == 5 })
  }

  @Test
  func `workers whose consumer is deleted begin at the beginning, or continue: none is skipped`()
    async throws
  {
    // A worker makes its consumer again as soon as it is deleted. The server may still have the
    // state of the old one then, and continues there. Not each time: three in a row are enough.
    var begun = 0
    for _ in 0..<3 where begun == 0 {
      let again = try await handledAfterDeletion()
      if again == Array(0..<10) { begun += 1 }
      let first = again.first ?? 10
      #expect(first <= 7)
      #expect(again == Array(first..<10))
    }
    #expect(begun == 1)
  }

  /// What a worker handles of ten messages, of which it had two, once its consumer was deleted.
  private func handledAfterDeletion() async throws -> [Int] {
    let orders = try await Orders(quick)
    try await orders.store(0..<5)
    let packing = orders.stream.consumer("packing", from: .end, of: Int.self, isShared: true)
    packing.connect(on: .inline, orders.note)
    #expect(
      await until {
        (try? orders.ask("CONSUMER.INFO.orders.packing").contains("packing\"")) == true
      })
    try await orders.store(5..<7)
    #expect(await orders.handled.wait(for: 2) == [5, 6])
    #expect(await until { packing.handledSequence == 7 })

    try orders.delete("CONSUMER.DELETE.orders.packing")
    try await orders.store(7..<10)

    #expect(await until { orders.handled.all.last == 9 })
    return Array(orders.handled.all.dropFirst(2))
  }

  @Test
  func `a worker whose consumer is deleted while it waits after an error skips no message`()
    async throws
  {
    let orders = try await Orders(quick)
    try await orders.store(0..<2)
    let packing = orders.stream.consumer("packing", from: .end, of: Int.self, isShared: true)
    packing.connect(on: .inline, orders.note)
    #expect(
      await until {
        (try? orders.ask("CONSUMER.INFO.orders.packing").contains("packing\"")) == true
      })
    // The worker cannot make the stream for dead letters, because another one has its subjects.
    _ = try orders.ask(
      "STREAM.CREATE.other", #"{"name":"other","subjects":["dead-letters.>"]}"#)
    try await orders.stream.emit([UInt8]("no number".utf8), to: "orders.new", as: .bytes)
    #expect(await orders.errors.wait(for: 1).count == 1)

    // The worker waits for a second now.
    try orders.delete("CONSUMER.DELETE.orders.packing")
    try orders.delete("STREAM.DELETE.other")
    try await orders.store(2..<5)

    #expect(await until { orders.handled.all.last == 4 })
    #expect(orders.handled.all.suffix(3) == [2, 3, 4])
  }

  @Test func `a message of a lost stream does not count for the next stream`() async throws {
    let server = try TestServer(.inMemory)
    let proxy = try Proxy(to: server.server.port)
    var options = BusOptions.quick()
    options.patience = .seconds(2)
    let bus = try await connectedBus(to: [proxy.url], options)
    let (errors, handled) = (Trace<BusError>(), Trace<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    let orders = try await bus.stream("orders")
    let numbers = Emitter<Int>()
    orders.send(numbers.signal, to: "orders.new")
    let billing = orders.consumer("billing", of: Int.self)
    billing.map(\.payload).connect(on: .inline) { handled.append($0) }
    for number in 0..<500 { numbers.invoke(number) }
    #expect(await until { billing.handledSequence == 500 })
    // The process writes the first mark for the next stream, and does not learn that.
    let lastMark = Mutex<Substring?>(nil)
    proxy.beginsToSwallow = { said in
      guard let mark = said.firstMatch(of: /PUB (\$KV\.signal-consumers\.orders\.\S+)/)?.1 else {
        return false
      }
      return lastMark.withLock { last in
        defer { last = mark }
        return last != nil && last != mark
      }
    }
    numbers.invoke(500)
    #expect(await until { billing.handledSequence == 501 })

    try server.loseStreams()
    for number in 501..<600 { numbers.invoke(number) }
    #expect(await until { proxy.swallowsAnswers })
    let known = errors.count
    #expect(
      await until {
        errors.all.dropFirst(known).contains { if case .unavailable = $0 { true } else { false } }
      })
    proxy.swallowsAnswers = false

    #expect(await until { handled.count == 600 })
  }
}
