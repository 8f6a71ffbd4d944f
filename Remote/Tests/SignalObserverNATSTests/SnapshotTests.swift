import Dispatch
import Foundation
import SignalObserver
import SignalObserverNATS
import Testing

/// What a bus says about itself.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct SnapshotTests {
  private let quick = BusOptions.quick()

  @Test(arguments: Kind.allCases)
  func `a snapshot shows the servers, and what waits for slots`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (sender, receiver) = (try await server.bus(), try await server.bus())
    let (gate, place) = (DispatchSemaphore(value: 0), DispatchQueue(label: "slow"))
    let jobs = receiver.signal("jobs", of: Int.self, sharedBy: "workers")
    jobs.connect(on: place) { _ in gate.wait() }
    receiver.signal("game.*.score", of: Int.self).connect(on: .inline) { _ in }
    try await receiver.flush()
    let numbers = Emitter<Int>()
    sender.send(numbers.signal, to: "jobs")
    for number in 0..<10 { numbers.invoke(number) }
    #expect(await until { jobs.pendingCount == 10 })

    let snapshot = await receiver.snapshot()

    #expect(snapshot.state == .connected)
    #expect(snapshot.servers.map(\.address) == [server.server.url])
    #expect(snapshot.servers.map(\.isConnected) == [true])
    #expect(snapshot.subscriptions.map(\.subject) == ["game.*.score", "jobs"])
    #expect(snapshot.subscriptions.map(\.group) == [nil, "workers"])
    #expect(snapshot.subscriptions.map(\.waiting.messages) == [0, 10])
    let bytes = snapshot.subscriptions[1].waiting.bytes
    #expect((10 * 512...10 * 600).contains(bytes))
    #expect(
      snapshot.description == """
        connected
          \(server.server.url)  connected
        waiting         messages  bytes
          game.*.score         0      0
          jobs                10   \(bytes)  shared by workers
          outbox               0      0
        """)
    for _ in 0..<10 { gate.signal() }
    #expect(await until { jobs.pendingCount == 0 })
    #expect(await receiver.snapshot().subscriptions[1].waiting.bytes == 0)
  }

  @Test(arguments: Kind.allCases)
  func `a snapshot shows how far each consumer is, and which process has its mark`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(quick), try await server.bus(quick))
    let orders = try await one.stream("orders")
    let (new, old) = (Emitter<Int>(), Emitter<Int>())
    orders.send(new.signal, to: "orders.new")
    orders.send(old.signal, to: "orders.old")
    for number in 1...5 {
      old.invoke(number)
      new.invoke(number)
    }
    try await orders.flush()
    let (gate, open) = AsyncStream.makeStream(of: Never.self)
    let (taken, packed, done) = (Trace<Int>(), Trace<Int>(), Trace<Int>())
    orders.consumer("billing", of: Int.self).connect(throwing: { message in
      taken.append(message.payload)
      if taken.count == 3 { for await _ in gate {} }
    })
    orders.consumer("packing", of: Int.self, isShared: true).connect(throwing: { message in
      packed.append(message.payload)
      if packed.count == 2 { for await _ in gate {} }
    })
    let counting = orders.consumer("counting", on: "orders.old", of: Int.self)
    counting.connect(on: .inline) { done.append($0.payload) }
    #expect(await until { taken.count == 3 && packed.count == 2 && counting.handledSequence == 9 })
    let waiting = try await other.stream("orders").consumer("billing", of: Int.self)
    waiting.connect(on: .inline) { _ in }

    let (mine, theirs) = (await one.snapshot(), await other.snapshot())

    #expect(mine.streams.map(\.name) == ["orders"])
    #expect(mine.streams.map(\.waiting.messages) == [0])
    #expect(mine.consumers.map(\.name) == ["billing", "counting", "packing"])
    #expect(mine.consumers.map(\.error) == [nil, nil, nil])
    #expect(mine.consumers.map(\.handledSequence) == [2, 9, 1])
    #expect(mine.consumers.map(\.lag) == [8, 0, 9])
    #expect(mine.consumers.map { $0.age != nil } == [true, false, true])
    #expect(mine.consumers.allSatisfy { (0..<60).contains(($0.age ?? .zero) / .seconds(1)) })
    #expect(mine.consumers.map(\.isHeldHere) == [true, true, false])
    #expect(mine.consumers.map(\.unacknowledged) == [nil, nil, 1])
    let holder = try #require(mine.consumers[0].holder)
    #expect(holder.hasSuffix("/\(ProcessInfo.processInfo.processIdentifier)"))
    #expect(mine.consumers[2].holder == nil)
    #expect(
      mine.description.hasSuffix(
        "  orders.counting        9    0         held by \(holder), here\n"
          + "  orders.packing         1    9  \(age(mine.consumers[2]))  shared, 1 unacknowledged"))
    #expect(theirs.consumers.map(\.holder) == [holder])
    #expect(theirs.consumers.map(\.isHeldHere) == [false])
    #expect(theirs.consumers.map(\.lag) == [8])
    open.finish()
    #expect(await until { taken.count == 10 && packed.count == 10 })
  }

  @Test(arguments: Kind.allCases)
  func `a snapshot names another process that has a mark, and nobody when it has gone`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus(quick)
    let orders = try await bus.stream("orders")
    let numbers = Emitter<Int>()
    orders.send(numbers.signal, to: "orders.new")
    numbers.invoke(0)
    let file = server.folder.appending(path: "handled").path
    let peer = try Peer(["handle", server.server.url, "orders", "billing", file, "0"])
    #expect(await peer.hasPrinted("paused 0"))
    let billing = orders.consumer("billing", of: Int.self)
    let observer = billing.connect(on: .inline) { _ in }

    let holder = await bus.snapshot().consumers.first?.holder
    #expect(holder?.hasSuffix("/\(peer.processID)") == true)
    peer.kill()
    #expect(await until { billing.handledSequence == 1 })
    #expect(await bus.snapshot().consumers.map(\.isHeldHere) == [true])
    observer.cancel()
  }

  @Test(arguments: Kind.allCases)
  func `a snapshot without a connection, or of a server that is mute, says so in time`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    var options = quick
    options.pingInterval = .seconds(60)
    let bus = try await server.bus(options)
    let orders = try await bus.stream("orders")
    let numbers = Emitter<Int>()
    bus.send(numbers.signal, to: "n")
    orders.send(numbers.signal, to: "orders.new")
    numbers.invoke(0)
    let billing = orders.consumer("billing", of: Int.self)
    billing.connect(on: .inline) { _ in }
    #expect(await until { billing.handledSequence == 1 })

    server.server.pause()
    let start = ContinuousClock.now
    let mute = await bus.snapshot()
    #expect(mute.consumers.map(\.error) == [.timeout(subject: "orders.billing")])
    #expect(ContinuousClock.now - start < .seconds(5))
    server.server.resume()
    server.server.kill()
    #expect(await until { bus.state.value == .reconnecting })
    for number in 1...3 { numbers.invoke(number) }

    let alone = await bus.snapshot()
    #expect(alone.state == .reconnecting)
    #expect(alone.servers.map(\.isConnected) == [false])
    #expect(alone.outbox.messages == 3)
    #expect(alone.streams.map(\.waiting.messages) == [3])
    let waiting = try #require(alone.streams.first?.waiting)
    #expect(alone.description.contains("\n  to stream orders         3    \(waiting.bytes)\n"))
    #expect(alone.consumers.map(\.handledSequence) == [1])
    #expect(alone.consumers.map(\.lag) == [nil])
    #expect(
      alone.consumers.map(\.error) == [.connection(reason: "there is no connection")])
    #expect(alone.description.contains("  orders.billing        1    ?"))
    try server.server.start()
    #expect(await until { billing.handledSequence == 4 })

    bus.close()
    let closed = await bus.snapshot()
    #expect(closed.state == .closed)
    #expect(closed.subscriptions == [])
  }

  private func age(_ consumer: BusSnapshot.Consumer) -> String {
    String(format: "%.1f s", (consumer.age ?? .zero) / .seconds(1))
  }
}
