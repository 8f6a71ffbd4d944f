import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct StreamTests {
  @Test(arguments: Kind.allCases)
  func `a named consumer handles what was stored, and goes on where it was`(kind: Kind) async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let orders = try await bus.stream("orders")
    let placed = Emitter<Int>()
    orders.send(placed.signal, to: "orders.new")
    for order in 0..<100 { placed.invoke(order) }
    try await orders.flush()

    let first = Trace<Int>()
    let observer = orders.consumer("billing", of: Int.self).connect(on: .inline) {
      first.append($0.payload)
    }
    #expect(await first.wait(for: 100) == Array(0..<100))
    observer.cancel()
    let second = Trace<Int>()
    orders.consumer("billing", of: Int.self).connect(on: .inline) { second.append($0.payload) }
    for order in 100..<200 { placed.invoke(order) }

    #expect(await second.wait(for: 100) == Array(100..<200))
  }

  @Test(arguments: Kind.allCases)
  func `a slot that throws gets the message again, before those behind it`(kind: Kind) async throws
  {
    struct Failure: Error {}
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let orders = try await bus.stream("orders")
    let placed = Emitter<Int>()
    orders.send(placed.signal, to: "orders.new")
    let (trace, errors) = (Trace<[Int]>(), Trace<BusError>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    orders.consumer("billing", of: Int.self).connect(throwing: { message in
      trace.append([message.payload, message.mayBeRepeated ? 1 : 0])
      if message.payload == 2, !message.mayBeRepeated { throw Failure() }
    })
    for order in 1...3 { placed.invoke(order) }

    #expect(await trace.wait(for: 4) == [[1, 1], [2, 0], [2, 1], [3, 0]])
    #expect(
      errors.all == [.slotThrew(subject: "orders.new", sequence: 2, reason: "Failure()")])
  }

  @Test(arguments: [false, true], Kind.allCases)
  func `a consumer begins where it is told, and later goes on where it was`(
    isShared: Bool, kind: Kind
  )
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let orders = try await bus.stream("orders")
    let placed = Emitter<Int>()
    orders.send(placed.signal, to: "orders.new")
    for order in 1...5 { placed.invoke(order) }
    try await orders.flush()
    let raw = try RawClient(port: server.server.port)
    let info = try raw.request("$JS.API.STREAM.INFO.orders", "")
    let text = try #require(
      info.split(separator: "\"last_ts\":\"").dropFirst().first?.prefix { $0 != "." })
    // The second after that of the last order.
    let date = try Date("\(text)Z", strategy: .iso8601) + 1
    #expect(await until { Date.now > date })
    for order in 6...8 { placed.invoke(order) }
    try await orders.flush()

    let starts: [(Name, StreamStart, first: Int)] = [
      ("all", .beginning, 1), ("third", .sequence(3), 3), ("late", .time(date), 6),
      ("new", .end, 9),
      ("future", .time(.now + 1000), 9),
    ]
    for (name, start, first) in starts {
      let trace = Trace<Int>()
      let consumer = orders.consumer(name, from: start, of: Int.self, isShared: isShared)
      let observer = consumer.connect(on: .inline) { trace.append($0.payload) }
      if first <= 8 {
        #expect(await trace.wait(for: 9 - first) == Array(first...8))
      } else {
        #expect(await until { has(name, isShared, server.server) })
      }
      #expect(await until { first > 8 || consumer.handledSequence == 8 })
      observer.cancel()
    }
    for order in 9...10 { placed.invoke(order) }
    try await orders.flush()

    for (name, _, first) in starts where name != "future" {
      let trace = Trace<Int>()
      // What was said first counts.
      let start: StreamStart = first == 1 ? .end : .beginning
      let consumer = orders.consumer(name, from: start, of: Int.self, isShared: isShared)
      consumer.connect(on: .inline) { trace.append($0.payload) }
      if isShared {
        // A worker that has just ended may have been given one of them, which is then delivered again.
        #expect(await until { Set(trace.all) == [9, 10] })
      } else {
        #expect(await trace.wait(for: 2) == [9, 10])
      }
    }
  }

  /// Whether the servers know of a consumer.
  private func has(_ name: Name, _ isShared: Bool, _ server: any BreakableServer) -> Bool {
    guard let raw = try? RawClient(port: server.port) else { return false }
    let answer =
      isShared
      ? try? raw.request("$JS.API.CONSUMER.INFO.orders.\(name)", "")
      : try? raw.request(
        "$JS.API.STREAM.INFO.KV_signal-consumers",
        #"{"subjects_filter":"$KV.signal-consumers.orders.>"}"#)
    return answer?.contains(isShared ? "\"durable_name\"" : ".\(name)\"") ?? false
  }

  @Test(arguments: Kind.allCases)
  func `a stream keeps what its options say`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    func stored(_ name: Name, _ options: StreamOptions) async throws -> RemoteStream {
      let stream = try await bus.stream(name, options: options)
      let numbers = Emitter<Int>()
      stream.send(numbers.signal, to: try Subject("\(name).n"))
      for number in 1...10 { numbers.invoke(number) }
      try await stream.flush()
      return stream
    }
    func info(_ name: Name) throws -> String {
      try RawClient(port: server.server.port).request("$JS.API.STREAM.INFO.\(name)", "")
    }
    var options = StreamOptions()
    options.messageLimit = 3
    let (few, trace) = (try await stored("few", options), Trace<Int>())
    few.consumer("all", of: Int.self).map(\.payload).connect(on: .inline) { trace.append($0) }
    #expect(await trace.wait(for: 3) == [8, 9, 10])

    options.refusesWhenFull = true
    _ = try await stored("full", options)
    #expect(try info("full").contains("\"messages\":3,"))
    let refused = {
      errors.all.filter { if case .refused("full.n", 10077, _) = $0 { true } else { false } }
    }
    #expect(await until { refused().count == 7 })

    options = StreamOptions()
    options.sizeLimit = 200
    options.isInMemory = true
    _ = try await stored("small", options)
    #expect(try info("small").contains("\"storage\":\"memory\""))
    #expect(try !info("small").contains("\"messages\":10,"))

    options = StreamOptions()
    options.ageLimit = .milliseconds(500)
    _ = try await stored("old", options)
    #expect(await until { (try? info("old").contains("\"messages\":0,")) == true })

    options.ageLimit = .seconds(90)
    _ = try await stored("older", options)
    for setting in ["max_age", "duplicate_window"] {
      #expect(try info("older").contains("\"\(setting)\":90000000000,"))
    }

    options = StreamOptions()
    options.dropsHandled = true
    let (work, done) = (try await stored("work", options), Trace<Int>())
    work.consumer("packing", of: Int.self, isShared: true).map(\.payload).connect(on: .inline) {
      done.append($0)
    }
    #expect(await done.wait(for: 10) == Array(1...10))
    #expect(await until { (try? info("work").contains("\"messages\":0,")) == true })
    #expect(errors.count == 7)
    work.consumer("billing", of: Int.self).connect(on: .inline) { _ in }
    #expect(
      await until {
        errors.all.contains {
          if case .refused("CONSUMER.CREATE.work", _, _) = $0 { true } else { false }
        }
      })
  }

  @Test(arguments: Kind.allCases)
  func `R3: nothing is lost and nothing handled twice, whatever dies`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let burst = try await bus.stream("burst")
    let numbers = Emitter<Int>()
    burst.send(numbers.signal, to: "burst.numbers")
    let file = server.folder.appending(path: "handled").path
    // The one in memory is built for debugging here, and has no disk to wait for.
    let count = kind == .inMemory ? 5000 : isFull ? 100_000 : 10_000
    let silence = isFull ? 10 : 5
    let pauses = [count / 20, count * 2 / 5]
    let arguments =
      ["handle", server.server.url, "burst", "counter", file] + pauses.map { "\($0)" }
    var peer = try Peer(arguments)

    for number in 0..<count { numbers.invoke(number) }
    // In the middle of a slot, the subscriber dies.
    #expect(await peer.hasPrinted("paused \(pauses[0])"))
    peer.kill()
    peer = try Peer(arguments)
    #expect(await until { handled(file) > count * 3 / 20 })
    // The server dies, and comes back with its store.
    server.server.kill()
    try server.server.start()
    #expect(await peer.hasPrinted("paused \(pauses[1])"))
    peer.kill()
    peer = try Peer(arguments)
    #expect(await until { handled(file) > count * 3 / 5 })
    // No network.
    server.server.pause()
    try await Task.sleep(for: .seconds(silence))
    server.server.resume()
    try await burst.flush()

    #expect(await until { handled(file) >= count })
    #expect(difference(numbersIn(file), 0..<count) == nil)
  }

  @Test(arguments: Kind.allCases)
  func `R3: of two processes one handles, and the other takes over`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let work = try await bus.stream("work")
    let numbers = Emitter<Int>()
    work.send(numbers.signal, to: "work.numbers")
    let file = server.folder.appending(path: "handled").path
    let arguments = ["handle", server.server.url, "work", "counter", file]
    let peers = [try Peer(arguments), try Peer(arguments)]

    for number in 0..<2000 { numbers.invoke(number) }
    #expect(await until { handled(file) > 500 })
    peers[0].kill()
    for number in 2000..<4000 { numbers.invoke(number) }
    #expect(await until { handled(file) > 3000 })
    let last = try Peer(arguments)
    peers[1].kill()

    // A process that is killed between its slot and the mark leaves one message to be repeated, so
    // the number of lines does not tell that all are handled.
    #expect(await until { Set(numbersIn(file)).count >= 4000 })
    withExtendedLifetime(last) {}
    let trace = numbersIn(file)
    #expect(trace.count <= 4002)
    #expect(difference(Set(trace).sorted(), 0..<4000) == nil)
  }

  @Test(arguments: [Int.min, 0, Int.max])
  func `every batch handles every message once`(batch: Int) async throws {
    let server = try TestServer(.inMemory)
    let bus = try await server.bus()
    let orders = try await bus.stream("orders")
    for number in 0..<5 { try await orders.emit(number, to: "orders.new") }
    let handled = Trace<Int>()
    let billing = orders.consumer("billing", of: Int.self, batch: batch)
    billing.map(\.payload).connect(on: .inline) { handled.append($0) }

    #expect(await handled.wait(for: 5) == Array(0..<5))
    #expect(await until { billing.handledSequence == 5 })
  }
}

/// In a suite of its own, because it takes as long as R3, at the same time.

@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct ClusterTests {
  @Test func `R4: a cluster of three that loses servers loses no message and doubles none`()
    async throws
  {
    let cluster = try TestCluster()
    var options = BusOptions()
    options.replicas = 3
    let bus = try await connectedBus(to: cluster.urls, options)
    let burst = try await bus.stream("burst")
    let numbers = Emitter<Int>()
    burst.send(numbers.signal, to: "burst.numbers")
    let count = isFull ? 10_000 : 5000
    let file = cluster.folder.appending(path: "handled").path
    let arguments = [
      "handle", cluster.urls.joined(separator: ","), "burst", "counter", file, "\(count * 3 / 10)",
    ]
    var peer = try Peer(arguments)

    for number in 0..<count { numbers.invoke(number) }
    #expect(await peer.hasPrinted("paused \(count * 3 / 10)"))
    peer.kill()
    peer = try Peer(arguments)
    #expect(await until { handled(file) > count * 2 / 5 })
    cluster.servers[0].kill()
    #expect(await until { handled(file) > count * 3 / 5 })
    cluster.servers[1].kill()
    try cluster.servers[1].start()
    for number in count..<count * 6 / 5 { numbers.invoke(number) }
    try await burst.flush()

    #expect(await until { handled(file) >= count * 6 / 5 })
    #expect(difference(numbersIn(file), 0..<count * 6 / 5) == nil)
  }
}

private func handled(_ file: String) -> Int { linesIn(file) }
