import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Synchronization
import Testing

/// Nobody gets in, and nothing gets out.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct SecurityTests {
  @Test(arguments: ["tls://", "nats://"])
  func `credentials do not leave in clear`(scheme: String) async throws {
    let said = Trace<String>()
    let server = try FakeServer { line, _ in said.append(line) }
    var options = BusOptions()
    options.timeout = .milliseconds(500)
    options.credentials = .user("ann", password: "secret")

    await #expect(throws: BusError.self) {
      try await Bus("\(scheme)127.0.0.1:\(server.port)", options: options)
    }
    await #expect(throws: BusError.self) {
      try await Bus("\(scheme)ann:secret@127.0.0.1:\(server.port)")
    }

    #expect(!said.all.contains { $0.contains("secret") })
  }

  @Test func `tls:// without settings does not connect to a server without TLS`() async throws {
    let server = try TestServer()

    await #expect(throws: BusError.self) { try await Bus("tls://127.0.0.1:\(server.server.port)") }
  }

  @Test func `a credentials file with a JWT lets in whom the operator knows`() async throws {
    let server = try TestServer(
      configuration: try String(contentsOf: fixture("jwt.conf"), encoding: .utf8),
      hasJetStream: false)
    var options = BusOptions()
    options.instruments = []
    await #expect(throws: BusError.self) { try await server.bus(options) }
    options.credentials = .file(fixture("ann.creds").path)
    await #expect(throws: BusError.insecureCredentials(server: server.server.url)) {
      try await server.bus(options)
    }
    options.allowsPlaintextCredentials = true

    let bus = try await server.bus(options)

    try await bus.flush()
  }

  @Test func `a bus connects although libnats does not send each signature`() async throws {
    // libnats sends no signature of the first two, because the first byte would be 0.
    let nonces = Mutex(["nonce180", "nonce179", "nonce391"])
    let server = try FakeServer(
      greeting: FakeServer.info.replacing(
        "}", with: ",\"nonce\":\"\(nonces.withLock { $0.popLast() ?? "" })\"}")
    ) { line, answer in
      if line.hasPrefix("CONNECT"), !line.contains(/"sig":"[^"]/) {
        answer("-ERR 'Authorization Violation'\r\n")
      }
      if line == "PING" { answer("PONG\r\n") }
    }
    var options = BusOptions.patient
    options.instruments = []
    options.allowsPlaintextCredentials = true
    options.credentials = .file(fixture("ann.creds").path)

    _ = try await Bus(server.url, options: options)

    #expect(server.accepted == 3)
  }

  @Test(arguments: [#"a"b"#, #"a\b"#, "a\tb", "grüße", "a b", "a/b"])
  func `a bus logs in with any password and any name`(text: String) async throws {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let server = try TestServer(
      configuration: "authorization { user: ann, password: \"\(escaped)\" }", hasJetStream: false)
    var options = BusOptions.patient
    options.credentials = .user("ann", password: text)
    options.allowsPlaintextCredentials = true
    options.name = text

    let bus = try await server.bus(options)

    try await bus.flush()
  }

  @Test func `a server of TLS is believed for its certificate and its name`() async throws {
    let server = try tlsServer()
    let address = "tls://127.0.0.1:\(server.server.port)"
    var options = BusOptions()
    options.credentials = .user("ann", password: "secret")
    options.instruments = []
    // The system does not trust it.
    await #expect(throws: BusError.self) { try await Bus(address, options: options) }
    options.tls = .init()
    options.tls?.trustedCertificates = fixture("cert.pem").path
    options.tls?.hostname = "example.org"
    await #expect(throws: BusError.self) { try await Bus(address, options: options) }
    options.tls?.hostname = nil
    options.timeout = .seconds(20)

    let bus = try await connectedBus(to: [address], options)

    try await bus.flush()
  }

  @Test func `a handshake of TLS that nobody answers has an end`() async throws {
    let server = try FakeServer(greeting: FakeServer.secureInfo)
    var options = BusOptions()
    options.timeout = .milliseconds(500)
    let start = ContinuousClock.now

    await #expect(throws: BusError.self) {
      try await Bus("tls://127.0.0.1:\(server.port)", options: options)
    }

    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test func `a process with TLS exits while messages arrive`() async throws {
    let server = try tlsServer()
    let address = "tls://ann:secret@127.0.0.1:\(server.server.port)"

    for _ in 0..<10 {
      let peer = try Peer(["exit", address, fixture("cert.pem").path])
      #expect(await until { !peer.isRunning })
      #expect(peer.status == 0)
    }
  }

  private func tlsServer() throws -> TestServer {
    try TestServer(
      configuration: """
        authorization { user: ann, password: secret }
        tls { cert_file: "\(fixture("cert.pem").path)", key_file: "\(fixture("key.pem").path)" }
        """)
  }

  @Test(arguments: [
    "", " ", "a b", "a..b", ".a", "a.", "a\r\nPUB admin.delete 1\r\nA", "a.*", "a.>", "a*", "\u{0}",
    "ü\u{a0}", String(repeating: "a", count: 1025),
  ])
  func `a subject cannot hold what the protocol cannot`(text: String) {
    #expect(throws: BusError.self) { try Subject(text) }
    #expect(throws: BusError.self) { try Name(text) }
    let isPattern = ["a.*", "a.>"].contains(text)
    #expect((try? SubjectPattern(text)) != nil ? isPattern : !isPattern)
  }

  @Test func `a wildcard is a part by itself, and > stands at the end`() throws {
    for text in ["a.b>", ">.a", "a.*b", "**"] {
      #expect(throws: BusError.self) { try SubjectPattern(text) }
    }
    for text in [">", "*", "*.a", "a.*.b", "$JS.x", "ü.ж"] {
      #expect(try SubjectPattern(text).text == text)
    }
    let number = 7
    #expect(try Subject("game.\(number).score").text == "game.7.score")
  }

  @Test func `what a hostile publisher sends costs a bounded amount`() async throws {
    let server = try TestServer()
    var options = BusOptions()
    options.pendingLimit = 4 << 20
    options.instruments = []
    let bus = try await server.bus(options)
    let gate = DispatchSemaphore(value: 0)
    let signal = bus.signal("n", of: [UInt8].self, as: .bytes)
    signal.connect(on: .inline) { _ in gate.wait() }
    let garbage = bus.signal("garbage", of: Int.self)
    garbage.connect(on: .inline) { _ in }
    try await bus.flush()
    let raw = try RawClient(port: server.server.port)
    let body = String(repeating: "x", count: 1 << 20)
    let before = residentMemory()

    for _ in 0..<100 { try raw.publish("n", body) }
    for _ in 0..<100 { try raw.publish("garbage", body) }

    // What waits for the slot, what is on its way, and what errors keep of the garbage. Under
    // AddressSanitizer, which keeps what was freed, only the count says so.
    if ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil {
      #expect(residentMemory() - before < 60 << 20)
    }
    #expect(signal.pendingCount < 5)
    for _ in 0..<100 { gate.signal() }
  }

  @Test(arguments: [
    "PUB $ $JS.ACK.s.c.1.18446744073709551615.2.0.0 1\r\n7\r\n",
    "PUB $ $JS.ACK.s.c.1.2.2.0.18446744073709551615 1\r\n7\r\n",
    "HPUB $ 61 61\r\nNATS/1.0 404\r\nNats-Pending-Messages: -9223372036854775808\r\n\r\n\r\n",
  ])
  func `a consumer survives numbers to which no server counts`(garbage: String) async throws {
    let server = try TestServer()
    let (bus, handled) = (try await server.bus(.quick()), Trace<Int>())
    let stream = try await bus.stream("orders")
    stream.consumer("billing", of: Int.self).connect(on: .inline) { handled.append($0.payload) }
    try await stream.emit(1, to: "orders.new")
    _ = await handled.wait(for: 1)
    let subscriptions = try server.subscriptions().split(separator: "\"")
    let inbox = try #require(subscriptions.first { $0.contains(".r.") })

    let raw = try RawClient(port: server.server.port)
    try raw.say(garbage.replacing("$ ", with: "\(inbox) ", maxReplacements: 1) + "PING\r\n")
    _ = raw.read(until: "PONG")
    try await stream.emit(2, to: "orders.new")

    #expect(await handled.wait(for: 2) == [1, 2])
  }

  /// What the process has in memory, in bytes.
  private func residentMemory() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}
