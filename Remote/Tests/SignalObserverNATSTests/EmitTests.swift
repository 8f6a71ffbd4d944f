import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Emissions into streams that wait for a place.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct EmitTests {
  /// With these, 28 payloads of 1,000 bytes have a place.
  private var small: BusOptions {
    var options = BusOptions()
    options.streamOutboxLimit = 64_000
    options.instruments = []
    return options
  }

  /// A payload with a number.
  private func payload(_ number: UInt8) -> [UInt8] {
    [number] + [UInt8](repeating: 0, count: 999)
  }

  /// Tasks of its own, each of which runs until it waits before the next one starts.
  private final class InOrder: TaskExecutor {
    private let queue = DispatchQueue(label: "in order")
    private let begin: @Sendable () -> Void

    /// Creates an executor that calls `begin` before each job.
    init(_ begin: @escaping @Sendable () -> Void = {}) { self.begin = begin }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { [self] in
        begin()
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }

    func run<Result: Sendable>(
      _ body: @escaping @Sendable () async throws -> Result
    ) -> Task<Result, any Error> {
      Task(executorPreference: self) { try await body() }
    }

    /// Waits until every task from before waits.
    func settle() async { queue.sync {} }
  }

  @Test(arguments: Kind.allCases)
  func `emit waits while the outbox is full, and loses nothing`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus(small)
    let orders = try await bus.stream("orders")
    let (emitted, errors, source) = (Trace<UInt8>(), Trace<BusError>(), Emitter<[UInt8]>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    orders.send(source.signal, to: "orders.old", as: .bytes)
    server.server.pause()

    let task = Task {
      for number in 0..<100 as Range<UInt8> {
        try await orders.emit(payload(number), to: "orders.new", as: .bytes)
        emitted.append(number)
      }
    }
    #expect(await until { emitted.count == 28 })
    // A source that cannot wait has room.
    source.invoke(payload(200))
    server.server.resume()
    try await task.value
    try await orders.flush()

    let handled = Trace<UInt8>()
    orders.consumer("all", on: "orders.new", of: [UInt8].self, as: .bytes).connect(on: .inline) {
      handled.append($0.payload[0])
    }
    #expect(await handled.wait(for: 100) == Array(0..<100))
    let info = try RawClient(port: server.server.port).request("$JS.API.STREAM.INFO.orders", "")
    #expect(info.contains("\"messages\":101,"))
    #expect(!errors.all.contains { if case .lost(_, _, .outboxFull) = $0 { true } else { false } })
  }

  @Test(arguments: Kind.allCases)
  func `emissions that wait get places in order, and one that is cancelled gets none`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus(small)
    let orders = try await bus.stream("orders")
    server.server.pause()
    let executor = InOrder()
    let tasks = (0..<60 as Range<UInt8>).map { number in
      executor.run { try await orders.emit(payload(number), to: "orders.new", as: .bytes) }
    }
    await executor.settle()

    tasks[40].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[40].value }
    // One that is cancelled before it begins waits for nothing.
    let late = executor.run {
      withUnsafeCurrentTask { $0?.cancel() }
      try await orders.emit(payload(99), to: "orders.new", as: .bytes)
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    server.server.resume()

    let handled = Trace<UInt8>()
    orders.consumer("all", of: [UInt8].self, as: .bytes).connect(on: .inline) {
      handled.append($0.payload[0])
    }
    #expect(await handled.wait(for: 59) == Array(0..<40) + Array(41..<60))
    for (index, task) in tasks.enumerated() where index != 40 { try await task.value }
  }

  @Test(arguments: Kind.allCases)
  func `emissions that wait end with the bus, and with its patience`(kind: Kind) async throws {
    let server = try TestServer(kind)
    var options = small
    options.timeout = .milliseconds(500)
    options.patience = .seconds(3)
    let bus = try await server.bus(options)
    let orders = try await bus.stream("orders")
    server.server.pause()
    let executor = InOrder()
    for number in 0..<28 as Range<UInt8> {
      try await orders.emit(payload(number), to: "orders.new", as: .bytes)
    }

    for _ in 0..<2 {
      await #expect {
        try await orders.emit(payload(100), to: "orders.new", as: .bytes)
      } throws: { error in
        if case BusError.unavailable("orders", _) = error { true } else { false }
      }
    }
    let waiting = executor.run {
      try await orders.emit(payload(101), to: "orders.new", as: .bytes)
    }
    await executor.settle()
    bus.close()
    await #expect(throws: BusError.closed) { try await waiting.value }
    await #expect(throws: BusError.closed) {
      try await orders.emit(payload(102), to: "orders.new", as: .bytes)
    }
    server.server.resume()
  }

  @Test func `what cannot be sent is thrown, and a stream that closes takes nothing more`()
    async throws
  {
    let server = try TestServer()
    let bus = try await server.bus(small)
    let orders = try await bus.stream("orders")
    let size = bus.maximumSize

    await #expect {
      try await orders.emit([UInt8](repeating: 0, count: size), to: "orders.new", as: .bytes)
    } throws: { error in
      if case BusError.tooLarge("orders.new", _, size) = error { true } else { false }
    }
    await #expect {
      try await orders.emit(Double.nan, to: "orders.new")
    } throws: { error in
      if case BusError.unencodable("orders.new", _) = error { true } else { false }
    }
    // It is larger than all the room, and there is nothing else.
    try await orders.emit([UInt8](repeating: 0, count: 100_000), to: "orders.new", as: .bytes)
    try await orders.emit(7, to: "orders.new", id: "seven")
    try await orders.emit(7, to: "orders.new", id: "seven")
    try await orders.flush()
    let info = try RawClient(port: server.server.port).request("$JS.API.STREAM.INFO.orders", "")
    #expect(info.contains("\"messages\":2,"))
    #expect(await bus.close(within: .seconds(5)) == 0)
    await #expect(throws: BusError.closed) { try await orders.emit(8, to: "orders.new") }
  }

  @Test func `a stream that is made while its bus closes takes nothing`() async throws {
    let server = try TestServer(.inMemory)
    for turn in 1... {
      let (bus, jobs) = (try await server.bus(), Trace<Void>())
      let tasks = InOrder {
        jobs.append(())
        if jobs.count != turn { return }
        bus.close()
        while bus.state.value != .closed { sched_yield() }
      }
      guard let stream = try? await tasks.run({ try await bus.stream("orders") }).value else {
        continue
      }
      if jobs.count < turn { break }
      await #expect(throws: BusError.closed) { try await stream.emit(1, to: "orders.new") }
    }
  }
}
