import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Synchronization
import Testing

/// Processes that share messages, of signals and of streams.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct WorkerTests {
  private let quick = BusOptions.quick()

  @Test(arguments: Kind.allCases)
  func `signals that share a name deliver each message once`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let sender = try await server.bus()
    let (traces, all) = ([Trace<Int>(), Trace<Int>(), Trace<Int>()], Trace<Int>())
    var buses: [Bus] = []
    for trace in traces {
      let bus = try await server.bus()
      bus.signal("jobs", of: Int.self, sharedBy: "workers").connect(on: .inline) {
        trace.append($0.payload)
      }
      try await bus.flush()
      buses.append(bus)
    }
    buses[0].signal("jobs", of: Int.self).connect(on: .inline) { all.append($0.payload) }
    try await buses[0].flush()
    let jobs = Emitter<Int>()
    sender.send(jobs.signal, to: "jobs")

    for job in 0..<1000 { jobs.invoke(job) }

    #expect(difference(await all.wait(for: 1000), 0..<1000) == nil)
    #expect(await until { traces.reduce(0) { $0 + $1.count } == 1000 })
    #expect(difference(traces.flatMap(\.all).sorted(), 0..<1000) == nil)
    #expect(traces.allSatisfy { $0.count > 0 })
  }

  @Test(arguments: Kind.allCases)
  func `R9: of two workers one is killed, and every message is handled at least once`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let jobs = try await bus.stream("jobs")
    let numbers = Emitter<Int>()
    jobs.send(numbers.signal, to: "jobs.new")
    let file = server.folder.appending(path: "handled").path
    let arguments = ["work", server.server.url, "jobs", "packing", file, "0", "700"]
    // In a slot each.
    let first = try Peer(arguments)
    numbers.invoke(0)
    #expect(await first.hasPrinted("paused 0"))
    let second = try Peer(arguments)
    for number in 1..<700 { numbers.invoke(number) }
    try await jobs.flush()

    // The first is alive, so its message stays its own for longer than a process may be silent.
    #expect(await until { linesIn(file) == 699 })
    try await Task.sleep(for: .seconds(4))
    #expect(!numbersIn(file).contains(0))
    first.kill()
    for number in 700..<1000 { numbers.invoke(number) }
    #expect(await second.hasPrinted("paused 700"))
    let third = try Peer(arguments)
    second.kill()

    await until { Set(numbersIn(file)).count == 1000 }
    #expect(difference(Set(numbersIn(file)).sorted(), 0..<1000) == nil)
    withExtendedLifetime(third) {}
    // A worker that is killed behind its slot leaves one message to be repeated.
    #expect(numbersIn(file).count <= 1002)
  }

  @Test(arguments: Kind.allCases)
  func `R9: a server that is killed keeps what its workers have not handled`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let jobs = try await bus.stream("jobs")
    let numbers = Emitter<Int>()
    jobs.send(numbers.signal, to: "jobs.new")
    let file = server.folder.appending(path: "handled").path
    let arguments = ["work", server.server.url, "jobs", "packing", file]
    let workers = [try Peer(arguments), try Peer(arguments)]

    for number in 0..<2000 { numbers.invoke(number) }
    #expect(await until { linesIn(file) > 500 })
    server.server.kill()
    try server.server.start()
    for number in 2000..<3000 { numbers.invoke(number) }

    await until { Set(numbersIn(file)).count == 3000 }
    #expect(difference(Set(numbersIn(file)).sorted(), 0..<3000) == nil)
    #expect(workers.allSatisfy { $0.isRunning })
  }

  @Test func `a worker for which the servers have no place asks again after a second`() async throws
  {
    let server = try TestServer()
    let (bus, other) = (try await server.bus(), try await server.bus())
    let jobs = try await bus.stream("jobs")
    let handled = Trace<Int>()
    jobs.consumer("packing", of: Int.self, isShared: true).connect(on: .inline) {
      handled.append($0.payload)
    }
    try await jobs.emit(0, to: "jobs.new")
    #expect(await handled.wait(for: 1) == [0])
    bus.close()
    // As many requests as the servers keep.
    let (next, asked) = ("$JS.API.CONSUMER.MSG.NEXT.jobs.packing", Trace<ContinuousClock.Instant>())
    let body = #"{"batch":1,"expires":600000000000}"#
    var others: RawClient? = try RawClient(port: server.server.port)
    try others?.say("SUB others 1\r\n")
    let request = "PUB \(next) others \(body.utf8.count)\r\n\(body)\r\n"
    try others?.say(String(repeating: request, count: 512) + "PING\r\n")
    _ = others?.read(until: "PONG\r\n")
    other.signal("$JS.API.CONSUMER.MSG.NEXT.>", of: [UInt8].self, as: .bytes).connect(on: .inline) {
      _ in asked.append(.now)
    }
    try await other.flush()

    let worker = try await server.bus()
    let same = try await worker.stream("jobs")
    same.consumer("packing", of: Int.self, isShared: true).connect(on: .inline) {
      handled.append($0.payload)
    }

    let times = await asked.wait(for: 3)
    #expect(times[2] - times[1] > .milliseconds(900))
    others = nil
    try await same.emit(1, to: "jobs.new")
    #expect(await handled.wait(for: 2) == [0, 1])
  }

  @Test func `R9: what a killed server delivers again says so, and what is new does not`()
    async throws
  {
    let server = try TestServer()
    let bus = try await server.bus(quick)
    let jobs = try await bus.stream("jobs")
    let count = isFull ? 20_000 : 6000
    for number in 0..<count { try await jobs.emit(number, to: "jobs.new") }
    try await jobs.flush()
    let (unflagged, repeated, new) = (Trace<Int>(), Trace<Int>(), Trace<Bool>())
    let seen = Mutex(Set<Int>())
    jobs.consumer("packing", of: Int.self, isShared: true).connect(on: .inline) { message in
      if seen.withLock({ $0.insert(message.payload).inserted }) {
        new.append(message.mayBeRepeated)
      } else {
        (message.mayBeRepeated ? repeated : unflagged).append(message.payload)
      }
    }

    for round in 1...4 {
      #expect(await until { new.count > round * count / 6 })
      server.server.kill()
      try server.server.start()
    }

    #expect(await new.wait(for: count).count == count)
    #expect(unflagged.all == [])
    // Otherwise the server has forgotten nothing, and nothing was tested.
    #expect(repeated.count > 0)
    // Five times, a hundred messages at most.
    #expect(new.all.filter { $0 }.count <= 500)
    #expect(new.all.last == false)
  }

  @Test(arguments: Kind.allCases)
  func `R9: a message that comes again says so, and one that always fails is a dead letter`(
    kind: Kind
  )
    async throws
  {
    struct Failure: Error {}
    let server = try TestServer(kind)
    var options = quick
    options.maximumDeliveries = 3
    let bus = try await server.bus(options)
    let errors = Trace<BusError>()
    bus.errors.connect(on: .inline) { errors.append($0) }
    let jobs = try await bus.stream("jobs")
    let (numbers, trace) = (Emitter<Int>(), Trace<[Int]>())
    jobs.send(numbers.signal, to: "jobs.new")
    let packing = jobs.consumer("packing", of: Int.self, isShared: true)
    packing.connect(throwing: { message in
      trace.append([message.payload, message.mayBeRepeated ? 1 : 0])
      if message.payload == 2 || message.payload == 3 && !message.mayBeRepeated {
        throw Failure()
      }
    })

    for number in 1...4 { numbers.invoke(number) }

    #expect(
      await trace.wait(for: 7) == [[1, 0], [2, 0], [2, 1], [2, 1], [3, 0], [3, 1], [4, 0]])
    #expect(
      await until {
        errors.all.contains(.gaveUp(subject: "jobs.new", sequence: 2, reason: "Failure()"))
      })
    #expect(await until { packing.handledSequence == 4 })
    let letters = Trace<Int>()
    try await bus.stream("dead-letters").consumer("clerk", of: Int.self).connect(on: .inline) {
      letters.append($0.payload)
    }
    #expect(await letters.wait(for: 1) == [2])
  }

  @Test(arguments: Kind.allCases)
  func `R9: what a worker cannot take, or leaves behind, another one gets`(kind: Kind) async throws
  {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(quick), try await server.bus(quick))
    let jobs = try await one.stream("jobs")
    let (numbers, started, handled) = (Emitter<Int>(), Trace<Int>(), Trace<Int>())
    jobs.send(numbers.signal, to: "jobs.new")
    let idle = jobs.consumer("packing", of: Int.self, isShared: true)
    let cancelled = idle.connect(on: .inline) { started.append($0.payload) }
    numbers.invoke(0)
    #expect(await started.wait(for: 1) == [0])
    // It still asks for messages, and no slot takes them.
    cancelled.cancel()
    for number in 1...3 { numbers.invoke(number) }
    try await jobs.flush()

    try await other.stream("jobs").consumer("packing", of: Int.self, isShared: true).connect(
      on: .inline
    ) { handled.append($0.payload) }

    #expect(await handled.wait(for: 3).sorted() == [1, 2, 3])
    #expect(started.all == [0])
    withExtendedLifetime(idle) {}
  }
}
