import Dispatch
import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Synchronization
import Testing

@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct CoreTests {
  @Test(arguments: Kind.allCases)
  func `what one bus sends, the signals of another deliver with its subject`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (sender, receiver) = (try await server.bus(), try await server.bus())
    let scores = Emitter<Int>()
    let trace = Trace<Message<Int>>()
    receiver.signal("game.*.score", of: Int.self).connect(on: .inline) { trace.append($0) }
    try await receiver.flush()

    sender.send(scores.signal, to: "game.7.score")
    for score in 1...3 { scores.invoke(score) }

    let received = await trace.wait(for: 3)
    #expect(received.map(\.payload) == [1, 2, 3])
    #expect(received.map(\.subject) == ["game.7.score", "game.7.score", "game.7.score"])
  }

  @Test(arguments: Kind.allCases)
  func `operators, values and methods work on a remote signal`(kind: Kind) async throws {
    final class Board: Sendable {
      let scores = Trace<Int>()
      func add(_ score: Int) { scores.append(score) }
    }
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let scores = Emitter<Int>()
    let remote = bus.signal("score", of: Int.self)
    let board = Board()
    remote.map(\.payload).filter { $0 > 1 }.connect(board, Board.add, .inline)
    var values = remote.values.makeAsyncIterator()
    bus.send(scores.signal, to: "score")

    for score in 1...3 { scores.invoke(score) }

    #expect(await board.scores.wait(for: 2) == [2, 3])
    #expect(await values.next()?.payload == 1)
    #expect(await values.next()?.payload == 2)
  }

  @Test func `a wiring of each process names the subject that is between them`() async throws {
    let server = try TestServer()
    let (sender, receiver) = (try await server.bus(), try await server.bus())
    let scores = Emitter<Int>()
    let remote = receiver.signal("game.7.score", of: Int.self)
    let observer = remote.map(\.payload)
      .connect(on: .inline, fileID: "M/F.swift", line: 1) { _ in }
    let sending = sender.send(scores.signal, to: "game.7.score")

    #expect(Wiring(of: scores).description == "Signal<Int>\n    → game.7.score")
    #expect(
      Wiring(of: scores, remote).description == """
        Signal<Int>
            → game.7.score
        game.7.score
            → Signal<Arrival<Int>>
        Signal<Arrival<Int>>
            → map → closure, inline, M/F.swift:1
        """)
    for observer in [observer, sending] { observer.cancel() }
  }

  @Test(arguments: Kind.allCases)
  func `R1: each publisher's messages of a subject come in the order of emission`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let trace = Trace<Message<Int>>()
    bus.signal("order.*", of: Int.self).connect(on: .inline) { trace.append($0) }
    try await bus.flush()

    let peers = try (0..<3).map { try Peer(["emit", server.server.url, "order.\($0)", "5000"]) }
    for peer in peers { #expect(await peer.hasPrinted("done")) }

    let received = await trace.wait(for: 15_000)
    for peer in 0..<3 {
      let numbers = received.filter { $0.subject == "order.\(peer)" }.map(\.payload)
      #expect(difference(numbers, 0..<5000) == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func `a flood of emissions overtakes no signal, and holds up nothing else`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.outboxLimit = 1 << 28
    let bus = try await server.bus(options)
    let isOver = Mutex(false)
    let floods = Emitter<Int>()
    bus.send(floods.signal, to: "flood")
    for _ in 0..<2 {
      Thread.detachNewThread {
        while !isOver.withLock({ $0 }) {
          for number in 0..<1000 { floods.invoke(number) }
          usleep(500)
        }
      }
    }
    defer { isOver.withLock { $0 = true } }
    let (numbers, trace) = (Emitter<Int>(), Trace<Int>())

    for index in 0..<20 {
      bus.signal(try SubjectPattern("n.\(index)"), of: Int.self).map(\.payload).connect(
        on: .inline
      ) { trace.append($0) }
      let sending = bus.send(numbers.signal, to: try Subject("n.\(index)"))
      numbers.invoke(index)
      sending.cancel()
    }
    try await bus.flush()
    _ = try await bus.stream("orders")

    #expect(await trace.wait(for: 20).sorted() == Array(0..<20))
  }

  @Test(arguments: Kind.allCases)
  func `R2: what is emitted while disconnected waits for the next connection`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let (states, trace) = (Trace<ConnectionState>(), Trace<Int>())
    bus.state.connect(on: .inline) { states.append($0) }
    bus.signal("n", of: Int.self).map(\.payload).connect(on: .inline) { trace.append($0) }
    try await bus.flush()
    let numbers = Emitter<Int>()
    bus.send(numbers.signal, to: "n")

    server.server.kill()
    #expect(await until { states.all.last == .reconnecting })
    for number in 0..<1000 { numbers.invoke(number) }
    try server.server.start()

    #expect(difference(await trace.wait(for: 1000), 0..<1000) == nil)
    #expect(states.all == [.connected, .reconnecting, .connected])
  }

  @Test(arguments: [true, false], Kind.allCases)
  func `R2: what does not fit while disconnected is counted, and announced`(
    buffers: Bool, kind: Kind
  )
    async throws
  {
    let server = try TestServer(kind)
    var options = BusOptions()
    options.buffersWhileDisconnected = buffers
    options.outboxLimit = 100 * (24 + 1)
    let bus = try await server.bus(options)
    let (errors, trace) = (Trace<BusError>(), Trace<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    bus.signal("n", of: Int.self).map(\.payload).connect(on: .inline) { trace.append($0) }
    try await bus.flush()
    let numbers = Emitter<Int>()
    bus.send(numbers.signal, to: "n")

    server.server.kill()
    #expect(await until { bus.state.value == .reconnecting })
    for _ in 0..<1000 { numbers.invoke(7) }
    #expect(await until { lost(errors.all, .outboxFull) == (buffers ? 900 : 1000) })
    try server.server.start()
    #expect(await until { bus.state.value == .connected })
    // What was kept has filled the outbox until it is sent.
    if buffers { #expect(await trace.wait(for: 100).count == 100) }
    numbers.invoke(8)

    #expect(await until { trace.all.last == 8 })
    #expect(trace.count == (buffers ? 101 : 1))
  }

  @Test(arguments: Kind.allCases)
  func `R2: what a dying connection had not confirmed is counted as an upper bound`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let proxy = try Proxy(to: server.server.port)
    let (sender, receiver) = (try await Bus(proxy.url), try await server.bus())
    let (errors, trace) = (Trace<BusError>(), Trace<Int>())
    sender.errors.connect(on: .inline) { errors.append($0) }
    receiver.signal("n", of: Int.self).map(\.payload).connect(on: .inline) { trace.append($0) }
    try await receiver.flush()
    let numbers = Emitter<Int>()
    sender.send(numbers.signal, to: "n")
    numbers.invoke(0)
    #expect(await trace.wait(for: 1) == [0])

    // They are on their way, and the server takes none of them in.
    server.server.pause()
    let sent = proxy.sentCount
    for number in 1...500 { numbers.invoke(number) }
    let size = (1...500).reduce(0) { $0 + "PUB n 1\r\n\($1)\r\n".utf8.count }
    #expect(await until { proxy.sentCount - sent >= size })
    server.server.kill()
    try server.server.start()
    try await receiver.flush()
    try await sender.flush()
    numbers.invoke(501)

    #expect(await until { trace.all.last == 501 })
    let unconfirmed = lost(errors.all, .unconfirmed)
    #expect(trace.count - 2 + unconfirmed >= 500)
    #expect(trace.all == trace.all.sorted())
  }

  @Test(arguments: Kind.allCases)
  func `R5: a slow slot holds up neither other subjects nor more than the bound`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    var options = BusOptions()
    // Half of it is libnats' own, and a signal leaves half of the rest to the others.
    options.pendingLimit = 4 * 1000 * (512 + 4 + 4)
    let (sender, receiver) = (try await server.bus(), try await server.bus(options))
    let gate = DispatchSemaphore(value: 0)
    let (slow, quick, errors) = (Trace<Int>(), Trace<Int>(), Trace<BusError>())
    let elsewhere = DispatchQueue(label: "slow")
    receiver.errors.connect(on: .inline) { errors.append($0) }
    let slowSignal = receiver.signal("slow", of: Int.self)
    slowSignal.map(\.payload).connect(on: elsewhere) { number in
      if number == 1000 { gate.wait() }
      slow.append(number)
    }
    receiver.signal("quick", of: Int.self).map(\.payload).connect(on: .inline) { quick.append($0) }
    try await receiver.flush()
    let (slowNumbers, quickNumbers) = (Emitter<Int>(), Emitter<Int>())
    sender.send(slowNumbers.signal, to: "slow")
    sender.send(quickNumbers.signal, to: "quick")

    for round in 0..<10 {
      for number in 0..<500 { slowNumbers.invoke(1000 + round * 500 + number) }
      for number in 0..<50 { quickNumbers.invoke(round * 50 + number) }
      // However busy the machine is, no more wait in libnats than may.
      _ = await quick.wait(for: (round + 1) * 50)
    }

    #expect(difference(quick.all, 0..<500) == nil)
    #expect(await until { lost(errors.all, .slowSlots) == 4000 })
    #expect(slowSignal.pendingCount <= 1000)
    gate.signal()
    #expect(difference(await slow.wait(for: 1000), 1000..<2000) == nil)
    #expect(await until { slowSignal.pendingCount == 0 })
    #expect(lost(errors.all, .slowSlots) + slow.count == 5000)
  }

  @Test(arguments: Kind.allCases)
  func `R6: after a cancel in its place a slot is not called, nor after the bus is dropped`(
    kind: Kind
  )
    async throws
  {
    let server = try TestServer(kind)
    let sender = try await server.bus()
    var receiver: Bus? = try await server.bus()
    let queue = DispatchQueue(label: "place")
    let (cancelled, kept) = (Trace<Int>(), Trace<Int>())
    let numbers = Emitter<Int>()
    sender.send(numbers.signal, to: "n")
    let remote = try #require(receiver).signal("n", of: Int.self).map(\.payload)
    let observer = remote.connect(on: queue) { cancelled.append($0) }
    let other = remote.connect(on: queue) { kept.append($0) }
    try await receiver?.flush()
    for number in 0..<1000 { numbers.invoke(number) }
    #expect(await until { kept.count > 10 })

    queue.sync { observer.cancel() }
    let count = cancelled.count
    #expect(difference(await kept.wait(for: 1000), 0..<1000) == nil)
    #expect(cancelled.count == count)

    receiver = nil
    #expect(await until { other.isCancelled })
    numbers.invoke(1000)
    try await sender.flush()
    #expect(kept.count == 1000)
  }

  @Test(arguments: [false, true], Kind.allCases)
  func `R6: when close has returned, no message is delivered, wherever its slot runs`(
    isQueued: Bool, kind: Kind
  ) async throws {
    /// Gone when the source has ended, and no delivery waits.
    final class Token: Sendable {}
    let server = try TestServer(kind)
    let sender = try await server.bus()
    let stored = try await sender.stream("orders")
    for number in 1...300 { try await stored.emit(number, to: "orders.new") }
    try await stored.flush()
    let queue = DispatchQueue(label: "slots")

    for isStored in [false, true] {
      let (bus, delivered) = (try await server.bus(), Trace<Int>())
      var token: Token? = Token()
      weak let end = token
      func connect(_ source: some SignalSource<Int>) {
        let slot = { @Sendable [token] (number: Int) in
          withExtendedLifetime(token) { delivered.append(number) }
          if number == 100 { bus.close() }
        }
        if isQueued {
          source.connect(on: queue, slot)
        } else {
          source.connect(on: .inline, slot)
        }
      }
      if isStored {
        let orders = try await bus.stream("orders")
        connect(orders.consumer("billing", of: Int.self, batch: 100).map(\.payload))
      } else {
        connect(bus.signal("n", of: Int.self).map(\.payload))
        try await bus.flush()
        let raw = try RawClient(port: server.server.port)
        try raw.say((1...300).map { "PUB n \("\($0)".utf8.count)\r\n\($0)\r\n" }.joined())
      }
      token = nil

      #expect(await delivered.wait(for: 100).count >= 100)
      #expect(await until { end == nil })
      queue.sync {}
      #expect(delivered.all == Array(1...100))
    }
  }

  @Test(arguments: Kind.allCases)
  func `R6: when close has returned, no set of a value is delivered that waits for its slot`(
    kind: Kind
  ) async throws {
    let server = try TestServer(kind)
    let (bus, sender) = (try await server.bus(), try await server.bus())
    let (value, delivered) = (try await bus.value("n", of: Int.self, initially: 0), Trace<Int>())
    let queue = DispatchQueue(label: "slots")
    queue.suspend()
    value.connect(on: queue) { delivered.append($0) }
    let source = try await sender.value("n", of: Int.self, initially: 0)
    for number in 1...9 { try await source.set(number) }
    #expect(await until { value.value == 9 })

    bus.close()
    queue.resume()
    queue.sync {}
    value.connect(on: .inline) { delivered.append($0) }
    #expect(delivered.all == [])
  }

  @Test(arguments: Kind.allCases)
  func `R6: ten thousand connects and cancels leave nothing behind`(kind: Kind) async throws {
    final class Witness: Sendable {}
    let server = try TestServer(kind)
    let bus = try await server.bus()
    weak var witness: Witness?
    do {
      let captured = Witness()
      witness = captured
      for index in 0..<10_000 {
        let observer = bus.signal(
          try SubjectPattern("subject.\(index % 7)"), of: Int.self
        ).connect(on: .inline) { _ in
          withExtendedLifetime(captured) {}
        }
        observer.cancel()
      }
    }

    try await bus.flush()
    #expect(await until { witness == nil })
    #expect(try server.subscriptions().contains("_INBOX"))
    #expect(try !server.subscriptions().contains("subject."))
  }

  @Test func `flush waits for what was emitted behind messages that a lost connection has cut off`()
    async throws
  {
    let (gate, connections, lines) = (
      DispatchSemaphore(value: 0), Trace<String>(), Trace<String>()
    )
    let isSlow = Mutex(true)
    let server = try FakeServer { line, answer in
      if line.hasPrefix("CONNECT") { connections.append(line) }
      let isFirst = connections.count == 1
      if line == "PING" {
        answer("PONG\r\n")
        // Behind the first PONG after messages.
        let isLate = isSlow.withLock { isSlow in
          if isFirst || lines.count < 2 { return false }
          defer { isSlow = false }
          return isSlow
        }
        if isLate { Thread.sleep(forTimeInterval: 0.5) }
      } else if line.hasPrefix("PUB") {
        lines.append(line)
        // Reads nothing more, until the connection is cut.
        if isFirst { gate.wait() }
      }
    }
    defer { gate.signal() }
    var options = BusOptions.patient
    options.instruments = []
    let bus = try await Bus(server.url, options: options)
    let (numbers, end) = (Emitter<[UInt8]>(), Emitter<[UInt8]>())
    bus.send(numbers.signal, to: "n", as: .bytes)
    bus.send(end.signal, to: "end", as: .bytes)

    for _ in 0..<2000 { numbers.invoke([UInt8](repeating: 1, count: 8192)) }
    #expect(await until { lines.count == 1 })
    for _ in 0..<1000 { end.invoke([]) }
    end.invoke([1])
    server.cut()
    try await bus.flush()

    #expect(lines.all.contains("PUB end 1"))
  }

  @Test(arguments: [1, 1000, 1 << 20, 8 << 20], Kind.allCases)
  func `R8: payloads of 1 byte to 8 MB arrive`(size: Int, kind: Kind) async throws {
    let server = try TestServer(kind, maximumSize: 8 << 20)
    let bus = try await server.bus()
    let trace = Trace<[UInt8]>()
    bus.signal("big", of: [UInt8].self, as: .bytes).map(\.payload).connect(on: .inline) {
      trace.append($0)
    }
    try await bus.flush()
    let payloads = Emitter<[UInt8]>()
    bus.send(payloads.signal, to: "big", as: .bytes)
    let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    payloads.invoke(payload)

    #expect(await trace.wait(for: 1) == [payload])
  }

  @Test(arguments: Kind.allCases)
  func `R8: what is larger than the server takes is an error, and is not sent`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let (errors, trace) = (Trace<BusError>(), Trace<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    bus.signal("big", of: [UInt8].self, as: .bytes).connect(on: .inline) {
      trace.append($0.payload.count)
    }
    try await bus.flush()
    let payloads = Emitter<[UInt8]>()
    bus.send(payloads.signal, to: "big", as: .bytes)
    let stream = try await bus.stream("files")
    stream.send(payloads.signal, to: "files.big", as: .bytes)

    #expect(bus.maximumSize == 1 << 20)
    payloads.invoke([UInt8](repeating: 1, count: (1 << 20) + 1))
    payloads.invoke([1])

    #expect(await trace.wait(for: 1) == [1])
    let sizes: [[String: Int]] = await errors.wait(for: 2).map { error in
      if case .tooLarge(let subject, let size, 1 << 20) = error { [subject: size] } else { [:] }
    }
    // In a stream it has an id, in a header.
    #expect(sizes.first == ["big": (1 << 20) + 1])
    #expect(sizes.last?["files.big"] ?? 0 > (1 << 20) + 1)
    #expect(bus.state.value == .connected)
  }

  @Test(arguments: Kind.allCases)
  func `what cannot be decoded is an error with subject and bytes, and stops nothing`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    let (errors, trace) = (Trace<BusError>(), Trace<Int>())
    bus.errors.connect(on: .inline) { errors.append($0) }
    bus.signal("n", of: Int.self).map(\.payload).connect(on: .inline) { trace.append($0) }
    try await bus.flush()
    let texts = Emitter<[UInt8]>()
    bus.send(texts.signal, to: "n", as: .bytes)

    for text in ["1", "one", "2"] { texts.invoke(Array(text.utf8)) }

    #expect(await trace.wait(for: 2) == [1, 2])
    guard case .undecodable("n", let bytes, _) = await errors.wait(for: 1).first else {
      Issue.record("\(errors.all)")
      return
    }
    #expect(bytes == Array("one".utf8))
  }

  @Test func `credentials let in who has them, and nobody else`() async throws {
    let server = try TestServer(configuration: "authorization { user: ann, password: secret }")
    var options = BusOptions()
    options.credentials = .user("ann", password: "secret")
    options.allowsPlaintextCredentials = true
    let bus = try await server.bus(options)
    #expect(await until { bus.state.value == .connected })

    await #expect(throws: BusError.self) { try await server.bus() }
  }

  @Test func `numbers and strings are the JSON that Foundation writes`() throws {
    let texts = ["", "plain", "with \"quotes\"", "a/b", "ü", "\u{0}"]
    for text in texts {
      #expect(Coding<String>.json.roundTrip(text) == text)
      #expect(Coding<String>.json.decoded(try JSONEncoder().encode(text)) == text)
    }
    for number in [0, -1, 42, Int.max, Int.min] {
      #expect(Coding<Int>.json.roundTrip(number) == number)
      #expect(Coding<Int>.json.decoded(try JSONEncoder().encode(number)) == number)
    }
  }

  private func lost(_ errors: [BusError], _ reason: BusError.Loss) -> Int {
    errors.reduce(0) { sum, error in
      if case .lost(let count, _, reason) = error { sum + count } else { sum }
    }
  }
}
