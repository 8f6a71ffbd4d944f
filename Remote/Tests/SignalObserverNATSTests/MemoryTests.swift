import CNats
import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import SignalObserverNATSTesting
import Testing

@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct MemoryTests {
  @Test func `a process survives every order of connect, cancel, drop and close`() async throws {
    let server = try TestServer()

    let peer = try Peer(["churn", server.server.url, isFull ? "8" : "4"])

    #expect(await peer.hasPrinted("done"))
  }

  @Test func `R5: what waits for the slots of all signals is bounded, and each signal has room`()
    async throws
  {
    let server = try TestServer()
    var options = BusOptions()
    options.pendingLimit = 8 << 20
    let (sender, receiver) = (try await server.bus(), try await server.bus(options))
    let (gate, elsewhere) = (DispatchSemaphore(value: 0), DispatchQueue(label: "slow"))
    let (errors, quick) = (Trace<BusError>(), Trace<Int>())
    receiver.errors.connect(on: .inline) { errors.append($0) }
    let slow = (0..<20).map { _ in receiver.signal("slow", of: [UInt8].self, as: .bytes) }
    for signal in slow { signal.connect(on: elsewhere) { _ in gate.wait() } }
    receiver.signal("quick", of: Int.self).connect(on: .inline) { quick.append($0.payload) }
    try await receiver.flush()
    let (payloads, numbers) = (Emitter<[UInt8]>(), Emitter<Int>())
    sender.send(payloads.signal, to: "slow", as: .bytes)
    sender.send(numbers.signal, to: "quick")

    for _ in 0..<2000 { payloads.invoke([UInt8](repeating: 1, count: 1000)) }

    let lost = {
      errors.all.reduce(0) {
        if case .lost(let count, _, .slowSlots) = $1 { $0 + count } else { $0 }
      }
    }
    let pending = { slow.reduce(0) { $0 + $1.pendingCount } }
    #expect(await until { lost() + pending() == 20 * 2000 })
    #expect(pending() * 1500 <= 8 << 20)
    // No signal has taken the room of the others.
    numbers.invoke(7)
    #expect(await quick.wait(for: 1) == [7])
    #expect(slow.allSatisfy { $0.pendingCount > 50 })
    for _ in 0..<pending() { gate.signal() }
  }

  // AddressSanitizer keeps what was freed.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "/proc/self/status")
        && ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil))
  func `R5: what waits in libnats is bounded, too`() async throws {
    let server = try TestServer()

    // Eight threads of libnats receive, and one hands over. Without a bound, 800 MB wait
    // in between. With two heaps, little of the memory is what each thread's heap caches.
    let peer = try Peer(
      ["flood", server.server.url, "8", "50", "20000", "\(4 << 20)"],
      environment: ["MALLOC_ARENA_MAX": "2"])

    #expect(await until { !peer.isRunning })
    let peak = peer.printed.last?.split(separator: " ").last.flatMap { Int($0) }
    #expect(try #require(peak) < 350)
  }

  // In a process of its own, because the buses of a process share the thread that it holds up.
  @Test func `R5: while too much waits in libnats, it drops the rest, and each loss is counted`()
    async
  {
    await #expect(processExitsWith: .success) {
      let server = try InMemoryServer()
      var options = BusOptions()
      // Half of it is for libnats, which then has room for a thousand messages.
      options.pendingLimit = 1 << 20
      options.instruments = []
      let (sender, receiver) = (try await server.bus(), try await server.bus(options))
      let lost = Trace<Int>()
      receiver.errors.connect(on: .inline) { error in
        if case .lost(let count, nil, .slowSlots) = error { lost.append(count) }
      }
      for _ in 0..<2 { receiver.signal("n", of: Int.self).connect(on: .inline) { _ in } }
      let numbers = Emitter<Int>()
      sender.send(numbers.signal, to: "n")
      let gate = try #require(Gate(to: server))
      func send(_ count: Int) async throws {
        for number in 0..<count { numbers.invoke(number) }
        try await sender.flush()
        try await receiver.flush()
      }
      func waits(_ count: Int) async -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
          let subscriptions = await receiver.snapshot().subscriptions
          if subscriptions.map(\.waiting.messages) == [count, count] { return true }
          await Task.yield()
        }
        return false
      }
      try await receiver.flush()

      // libnats hands over the first of these, and notices how many are behind the gate.
      gate.close()
      try await send(100)
      gate.close()
      try await send(800)
      let isFull = await waits(900)
      gate.open()
      let isHandedOver = await waits(800)
      try await send(100)
      let isBounded = await waits(800)
      let isCounted = await until { lost.all.reduce(0, +) == 200 }
      try await send(100)
      let isCountedOnce = await until { lost.all.reduce(0, +) == 400 }
      gate.open()
      let isEmpty = await waits(0)
      gate.end()

      precondition(isFull && isHandedOver && isBounded && isCounted && isCountedOnce && isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func `R5: the headers of what waits count, too`(kind: Kind) async throws {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.pendingLimit = 1 << 20
    options.instruments = []
    let (bus, raw) = (try await server.bus(options), try RawClient(port: server.server.port))
    let (gate, lost) = (DispatchSemaphore(value: 0), Trace<Int>())
    bus.errors.connect(on: .inline) { error in
      if case .lost(let count, _, .slowSlots) = error { lost.append(count) }
    }
    let signal = bus.signal("n", of: Int.self)
    signal.connect(on: .inline) { _ in gate.wait() }
    try await bus.flush()

    for _ in 0..<20 {
      try raw.publish("n", "7", headers: ["Large: " + String(repeating: "x", count: 100_000)])
    }

    #expect(await until { lost.all.reduce(0, +) + signal.pendingCount == 20 })
    #expect(signal.pendingCount * 100_000 <= 1 << 20)
    for _ in 0..<20 { gate.signal() }
  }

  // In a process of its own, because other tests open files, too.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func `a bus that has ended leaves no socket open`() async {
    await #expect(processExitsWith: .success) {
      let server = try InMemoryServer()
      func openCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
      }
      try await server.bus().close()
      let before = openCount()

      for _ in 0..<40 { try await server.bus().close() }

      // The system's libraries may have opened a few files of their own.
      let isOver = await until { openCount() < before + 20 }
      precondition(isOver)
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
  func `a bus costs two threads, and all buses of a process share the others`() async throws {
    let server = try TestServer()
    var counts: [Int] = []
    for count in [0, 1, 33] {
      let peer = try Peer(["idle", server.server.url, "\(count)"])
      #expect(await peer.hasPrinted("connected"))
      counts.append(await leastThreads(of: peer))
    }
    // Beside the two of each bus and the four of libnats, there are a few of Dispatch, in each of the
    // three processes. With one for each bus, the second number would be near 32; with three, near 96.
    #expect((3...14).contains(counts[1] - counts[0]))
    #expect((56...80).contains(counts[2] - counts[1]))
  }

  /// How many threads a process has at the moment when it has the fewest.
  ///
  /// Those of Dispatch come and are gone.
  private func leastThreads(of peer: Peer) async -> Int {
    var least = Int.max
    await until(seconds: 1) {
      let threads = try? FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(peer.processID)/task")
      least = min(least, threads?.count ?? .max)
      return false
    }
    return least
  }
}

/// A subscription that holds up the thread with which libnats hands messages over.
///
/// `@unchecked Sendable`: libnats guards its objects, and nothing changes after `init`.
private final class Gate: @unchecked Sendable {
  private let connection: OpaquePointer
  private var subscription: OpaquePointer?
  private let opened = DispatchSemaphore(value: 0)

  init?(to server: InMemoryServer) {
    var (options, connection): (OpaquePointer?, OpaquePointer?)
    defer { natsOptions_Destroy(options) }
    guard natsOptions_Create(&options) == NATS_OK,
      natsOptions_SetURL(options, server.address) == NATS_OK,
      natsOptions_UseGlobalMessageDelivery(options, true) == NATS_OK,
      natsConnection_Connect(&connection, options) == NATS_OK, let connection
    else { return nil }
    self.connection = connection
    // The closure is this object, which is there until `end`.
    let status = natsConnection_Subscribe(
      &subscription, connection, "gate",
      { _, _, message, closure in
        natsMsg_Destroy(message)
        guard let closure else { return }
        Unmanaged<Gate>.fromOpaque(closure).takeUnretainedValue().opened.wait()
      }, Unmanaged.passUnretained(self).toOpaque())
    guard status == NATS_OK else { return nil }
  }

  /// Lets the thread wait behind what has arrived before.
  func close() {
    natsConnection_PublishString(connection, "gate", "")
    // The answer is behind the message.
    natsConnection_Flush(connection)
  }

  func open() { opened.signal() }

  func end() {
    natsSubscription_Destroy(subscription)
    natsConnection_Destroy(connection)
  }
}
