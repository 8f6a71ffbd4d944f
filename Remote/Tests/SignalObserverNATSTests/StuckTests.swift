import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Servers that are mute, half open or gone: everything that waits for one has an end.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct StuckTests {
  private var quick: BusOptions {
    var options = BusOptions()
    options.timeout = .milliseconds(500)
    options.pingInterval = .milliseconds(500)
    options.patience = .seconds(3)
    return options
  }

  @Test func `a server that says INFO and nothing more is an error`() async throws {
    let server = try FakeServer()
    let start = ContinuousClock.now

    await #expect(throws: tooLong(server)) { try await Bus(server.url, options: quick) }

    #expect(ContinuousClock.now - start < .seconds(5))
  }

  // In a process of its own, so that the processor is used by nothing else.
  @Test func `a server that says nothing keeps no processor busy`() async {
    await #expect(processExitsWith: .success) {
      let server = try FakeServer()
      var options = BusOptions()
      options.timeout = .milliseconds(500)
      _ = try? await Bus(server.url, options: options)
      let busy = clock()
      try await Task.sleep(for: .seconds(1))
      precondition(Double(clock() - busy) / Double(CLOCKS_PER_SEC) < 0.3)
    }
  }

  // In a process of its own, because the tests run in the pool, too.
  @Test func `R3: a slot that blocks every thread of the pool keeps the mark of its consumer`()
    async throws
  {
    let server = try TestServer()
    await #expect(processExitsWith: .success) { [url = server.server.url as String] in
      let (here, there) = (
        try await connectedBus(to: [url], .quick()), try await connectedBus(to: [url], .quick())
      )
      let (numbers, handled) = (Emitter<Int>(), Trace<Int>())
      let orders = try await here.stream("orders")
      orders.send(numbers.signal, to: "orders.new")
      orders.consumer("billing", of: Int.self, batch: 100).connect(throwing: { message in
        handled.append(message.payload)
        if message.payload == 7 { blockPool(for: 3) }
      })
      numbers.invoke(6)
      // The other bus finds the mark taken.
      await until { handled.count == 1 }
      try await there.stream("orders").consumer("billing", of: Int.self).connect(on: .inline) {
        handled.append($0.payload)
      }
      for number in 7..<100 { numbers.invoke(number) }

      await until { handled.count >= 94 }
      precondition(handled.all == Array(6..<100))
    }
  }

  @Test func `a server that says INFO a byte at a time is an error in time`() async throws {
    let server = try FakeServer(pause: .milliseconds(100))
    let start = ContinuousClock.now

    await #expect(throws: tooLong(server)) { try await Bus(server.url, options: quick) }

    #expect(ContinuousClock.now - start < .seconds(5))
  }

  // In a process of its own, in which nothing else opens files.
  @Test func `an attempt ends in time, also if its socket has the number of one that has ended`()
    async throws
  {
    let folder = try Watchdog.makeFolder()
    defer { Watchdog.removeFolder(folder) }
    await #expect(processExitsWith: .success) { [folder = folder.path as String] in
      let server = try FakeServer(greeting: FakeServer.secureInfo)
      let ended = try NATSServer.connect(to: server.port)
      // libnats reads the certificates when the attempt has begun, and before it makes its socket.
      let (certificates, pipe) = (try Data(contentsOf: fixture("cert.pem")), folder + "/pipe")
      mkfifo(pipe, 0o600)
      var options = BusOptions()
      options.timeout = .milliseconds(500)
      options.tls = .init()
      options.tls?.trustedCertificates = pipe
      Thread.detachNewThread {
        let writer = open(pipe, O_WRONLY)
        close(ended)
        _ = certificates.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
        close(writer)
      }

      do {
        _ = try await Bus(server.url, options: options)
        fatalError("a server that does not speak is connected")
      } catch BusError.connection(let reason) {
        precondition(reason.contains("took longer"), reason)
      }
    }
  }

  #if os(Linux)
    // Other systems have only one loopback address.
    @Test func `a server that says nothing holds no other host up, and shuts no socket of it`()
      async throws
    {
      let server = try TestServer()
      let port = server.server.port
      let silent = try FakeServer(greeting: "", port: port, of: 0x7F00_0002)
      var options = quick
      options.timeout = .seconds(2)
      var patient = options
      patient.startsWithoutServer = true
      patient.instruments = []
      var stuck: [Bus] = []
      for _ in 0..<10 {
        stuck.append(try await Bus("nats://127.0.0.2:\(port)", options: patient))
      }
      #expect(await until { silent.accepted > 0 })
      let start = ContinuousClock.now

      let bus = try await Bus(server.server.url, options: options)

      #expect(ContinuousClock.now - start < options.timeout)
      let states = Trace<ConnectionState>()
      bus.state.connect(on: .inline) { states.append($0) }
      let socket = try NATSServer.connect(to: port)
      defer { close(socket) }
      var bytes = [UInt8](repeating: 0, count: 4096)
      #expect(recv(socket, &bytes, bytes.count, 0) > 0)
      let accepted = silent.accepted
      #expect(await until { silent.accepted > accepted + 2 })
      // Nothing is there to be read, and the socket has not ended.
      #expect(recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == -1)
      #expect(states.all == [.connected])
      withExtendedLifetime(stuck) {}
    }
  #endif

  @Test(.enabled(if: Disk.isPossible))
  func `a name with two addresses leads to the one that answers`() async throws {
    let server = try TestServer()
    let port = server.server.port
    let silent = try FakeServer(greeting: "", port: port, of: 0x7F00_0002)
    let hosts = server.folder.appending(path: "hosts").path
    try "127.0.0.1 two.test\n127.0.0.2 two.test\n".write(
      toFile: hosts, atomically: true, encoding: .utf8)

    // A process that reads these names, and no others.
    let script = #"mount --bind "$0" /etc/hosts && exec "$@""#
    let peer = try Peer(
      [
        "-m", "sh", "-c", script, hosts, Peer.path(of: "remote-peer"), "idle",
        "nats://two.test:\(port)", "4",
      ],
      program: "/usr/bin/unshare")

    #expect(await peer.hasPrinted("connected"))
    withExtendedLifetime(silent) {}
  }

  private func tooLong(_ server: FakeServer) -> BusError {
    .connection(reason: "connecting to \(server.url) took longer than 0.5 seconds")
  }

  @Test func `a server that is slow to answer, but within the timeout, is no error`()
    async throws
  {
    let server = try TestServer()
    let proxy = try Proxy(to: server.server.port)
    var options = quick
    options.timeout = .seconds(4)
    let (bus, near) = (try await Bus(proxy.url, options: options), try await server.bus())
    let (errors, handled, sent) = (Trace<BusError>(), Trace<Int>(), Trace<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    near.signal("orders.*", of: Int.self).connect(on: .inline) { sent.append($0.payload) }
    try await near.flush()
    // What the proxy receives while it waits takes twice as long.
    proxy.delay = .milliseconds(200)

    let orders = try await bus.stream("orders")
    let numbers = Emitter<Int>()
    orders.send(numbers.signal, to: "orders.new")
    orders.consumer("billing", of: Int.self).connect(on: .inline) { handled.append($0.payload) }
    for number in 0..<3 { numbers.invoke(number) }
    try await orders.flush()
    let value = try await bus.value("n", of: Int.self, initially: 0)
    try await value.modify { $0 += 1 }

    #expect(await handled.wait(for: 3) == [0, 1, 2])
    #expect(errors.all == [])
    #expect(bus.state.value == .connected)
    // None was sent twice: what another bus sends now is behind everything.
    try await bus.flush()
    let end = Emitter<Int>()
    near.send(end.signal, to: "orders.end")
    end.invoke(3)
    #expect(await sent.wait(for: 4) == [0, 1, 2, 3])
  }

  @Test(arguments: Kind.allCases)
  func `an attempt that has failed leaves later connections alone`(kind: Kind) async throws {
    let server = try TestServer(kind)
    server.server.kill()
    let (pings, errors) = (Trace<BusMeasurement>(), Trace<BusError>())
    var watching = BusInstrument()
    watching.measure = { if case .roundTrip = $0 { pings.append($0) } }
    var options = quick
    options.timeout = .seconds(1)
    options.pingInterval = .zero
    options.startsWithoutServer = true
    options.instruments = [watching]
    let bus = try await server.bus(options)
    let states = Trace<ConnectionState>()
    bus.state.connect(on: .inline) { states.append($0) }
    bus.errors.connect(on: .inline) { errors.append($0) }
    #expect(await errors.wait(for: 1).count == 1)

    try server.server.start()
    #expect(await until { bus.state.value == .connected })

    // Four pings a second: the time of every attempt is over.
    let count = pings.count
    #expect(await pings.wait(for: count + 8).count >= count + 8)
    #expect(states.all == [.connecting, .connected])
  }

  @Test func `a server that falls mute is left for another`() async throws {
    let (mute, other) = (try TestServer(), try TestServer())
    let bus = try await connectedBus(to: [mute.server.url], quick)
    let both = try await connectedBus(to: [mute.server.url, other.server.url], quick)
    try await bus.flush()

    mute.server.pause()
    let start = ContinuousClock.now
    await #expect(throws: BusError.self) { try await bus.flush() }
    #expect(ContinuousClock.now - start < .seconds(30))
    #expect(await until { bus.state.value == .reconnecting })
    // Whichever it was connected to.
    #expect(await until { (try? other.monitored("connz"))?.contains("cid") ?? false })
    try await both.flush()
    mute.server.resume()

    #expect(await until { bus.state.value == .connected })
    try await bus.flush()
  }

  @Test func `a bus finds the other servers of a cluster when the one that it knows is gone`()
    async throws
  {
    let cluster = try TestCluster()
    let bus = try await connectedBus(to: [cluster.urls[0]], quick)
    #expect(await until { (try? cluster.connects(to: 0)) == 2 })

    cluster.servers[0].kill()

    #expect(await until { bus.state.value == .reconnecting })
    #expect(await until { bus.state.value == .connected })
    try await bus.flush()
  }
}

/// Blocks every thread of Swift's pool, for a number of seconds.
private func blockPool(for seconds: Int) {
  let gate = DispatchSemaphore(value: 0)
  let end = DispatchTime.now() + .seconds(seconds)
  for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
    Task.detached { _ = { gate.wait(timeout: end) }() }
  }
  _ = gate.wait(timeout: end)
}
