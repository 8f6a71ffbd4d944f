import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

/// Questions and answers.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct AskTests {
  private struct Item: Codable, Sendable { var name: String }
  private struct Unknown: Error, CustomStringConvertible { let description = "unknown item" }

  @Test(arguments: Kind.allCases)
  func `R10: a question is answered by an asynchronous slot of another process`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(), try await server.bus())
    let subjects = Trace<String>()
    other.answer("stock.*", of: Item.self) { message in
      subjects.append(message.subject)
      await Task.yield()
      return message.payload.name.utf8.count
    }
    try await other.flush()

    let count = try await one.ask(Item(name: "apple"), at: "stock.count", for: Int.self)

    #expect(count == 5)
    #expect(subjects.all == ["stock.count"])
    let bytes = try await one.ask(
      Array(#"{"name":""}"#.utf8), at: "stock.count", as: .bytes, for: .bytes)
    #expect(bytes == Array("0".utf8))
  }

  @Test(arguments: Kind.allCases)
  func `R10: if nobody listens, or no longer, that is an error at once`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(), try await server.bus())
    let nobody = BusError.unavailable(subject: "stock.count", reason: "nobody listens")
    let start = ContinuousClock.now

    await #expect(throws: nobody) {
      try await one.ask(1, at: "stock.count", for: Int.self, within: .seconds(50))
    }
    let observer = other.answer("stock.count", of: Int.self) { $0.payload }
    try await other.flush()
    #expect(try await one.ask(1, at: "stock.count", for: Int.self, within: .seconds(50)) == 1)
    observer.cancel()
    // The task that has answered may still hold the slot.
    #expect(await until { (try? server.subscriptions().contains("stock.count")) == false })
    await #expect(throws: nobody) {
      try await one.ask(1, at: "stock.count", for: Int.self, within: .seconds(50))
    }

    #expect(ContinuousClock.now - start < .seconds(40))
  }

  @Test(arguments: Kind.allCases)
  func `R10: a question ends at its deadline, and with its connection`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(), try await server.bus())
    let gate = AsyncStream<Void>.makeStream()
    other.answer("slow", of: Int.self) { message in
      for await _ in gate.stream { break }
      return message.payload
    }
    try await other.flush()
    let start = ContinuousClock.now

    await #expect(throws: BusError.timeout(subject: "slow")) {
      try await one.ask(1, at: "slow", for: Int.self, within: .milliseconds(100))
    }
    #expect(ContinuousClock.now - start >= .milliseconds(100))
    let lost = Task { try await one.ask(2, at: "slow", for: Int.self, within: .seconds(50)) }
    try await one.flush()
    one.close()
    await #expect(throws: BusError.closed) { try await lost.value }
    await #expect(throws: BusError.closed) { try await one.ask(3, at: "slow", for: Int.self) }
    gate.continuation.finish()
  }

  @Test(arguments: Kind.allCases)
  func `R10: what the slot throws, or cannot decode or send, is thrown at the asker`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(), try await server.bus())
    let errors = Trace<BusError>()
    other.errors.connect(on: .inline) { errors.append($0) }
    other.answer("price", of: Item.self) { _ -> Int in throw Unknown() }
    let size = other.maximumSize
    other.answer("huge", as: .bytes, with: .bytes) { _ in [UInt8](repeating: 0, count: size + 1) }
    try await other.flush()

    await #expect(throws: BusError.refused(subject: "price", code: 0, reason: "unknown item")) {
      try await one.ask(Item(name: "plum"), at: "price", for: Int.self)
    }
    await #expect {
      try await one.ask(7, at: "price", for: Int.self)
    } throws: { error in
      if case BusError.refused("price", 0, _) = error { true } else { false }
    }
    await #expect {
      try await one.ask([], at: "huge", as: .bytes, for: .bytes)
    } throws: { error in
      if case BusError.refused("huge", 0, _) = error { true } else { false }
    }
    // The bus of the slot reports it, too, because nobody else there knows of it.
    let tooLarge = BusError.tooLarge(subject: "huge", size: size + 1, limit: size)
    #expect(await until { errors.all.last == tooLarge })
    await #expect {
      try await one.ask(
        [UInt8](repeating: 0, count: size + 1), at: "huge", as: .bytes, for: .bytes)
    } throws: { error in
      if case BusError.tooLarge = error { true } else { false }
    }
    other.answer("text", of: Int.self) { _ in "no number" }
    try await other.flush()
    await #expect {
      try await one.ask(1, at: "text", for: Int.self)
    } throws: { error in
      if case BusError.undecodable("text", _, _) = error { true } else { false }
    }
  }

  @Test(arguments: Kind.allCases)
  func `a question and an answer may be as large as the server takes`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let bus = try await server.bus()
    bus.answer("echo", as: .bytes, with: .bytes) { $0.payload }
    try await bus.flush()
    let payload = [UInt8](repeating: 7, count: bus.maximumSize)

    #expect(try await bus.ask(payload, at: "echo", as: .bytes, for: .bytes) == payload)
    await #expect(
      throws: BusError.tooLarge(
        subject: "echo", size: payload.count + 1, limit: bus.maximumSize)
    ) { try await bus.ask(payload + [7], at: "echo", as: .bytes, for: .bytes) }
  }

  @Test(arguments: Kind.allCases)
  func `what instruments add to a question counts for its size`(kind: Kind) async throws {
    let server = try TestServer(kind)
    var (options, instrument) = (BusOptions(), BusInstrument())
    instrument.inject = { try $0.set("seven", for: "Tenant") }
    options.instruments = [instrument]
    let bus = try await server.bus(options)
    let payload = [UInt8](repeating: 7, count: bus.maximumSize)

    // The lines "NATS/1.0", "Tenant: seven" and an empty one.
    await #expect(
      throws: BusError.tooLarge(
        subject: "echo", size: payload.count + 27, limit: bus.maximumSize)
    ) { try await bus.ask(payload, at: "echo", as: .bytes, for: .bytes) }
  }

  @Test(arguments: Kind.allCases)
  func `R10: slots that share a name answer each question once, several at a time`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(), try await server.bus())
    let asked = Trace<Int>()
    for slot in 0..<2 {
      other.answer("jobs", of: Int.self, sharedBy: "workers") { message in
        asked.append(slot)
        // Each is asked while the other one answers.
        await until { Set(asked.all).count == 2 }
        return message.payload
      }
    }
    try await other.flush()

    let answers = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await one.ask(number, at: "jobs", for: Int.self, within: .seconds(50))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(answers.sorted() == Array(0..<40))
    #expect(asked.count == 40)
    #expect(Set(asked.all) == [0, 1])
  }

  @Test(arguments: Kind.allCases)
  func `R10: a question ends when its task is cancelled, with and without a connection`(kind: Kind)
    async throws
  {
    let server = try TestServer(kind)
    var options = BusOptions.patient
    options.instruments = []
    let (one, other) = (try await server.bus(options), try await server.bus(options))
    let (gate, open) = AsyncStream.makeStream(of: Never.self)
    let asked = Trace<Int>()
    other.answer("slow", of: Int.self) { message in
      asked.append(message.payload)
      for await _ in gate {}
      return message.payload
    }
    try await other.flush()
    let ask = { Task { try await one.ask(1, at: "slow", for: Int.self, within: .seconds(50)) } }
    let start = ContinuousClock.now

    let answered = ask()
    #expect(await asked.wait(for: 1) == [1])
    answered.cancel()
    await #expect(throws: BusError.cancelled) { try await answered.value }
    server.server.kill()
    #expect(await until { one.state.value == .reconnecting })
    let unsent = ask()
    await Task.yield()
    unsent.cancel()
    await #expect(throws: BusError.cancelled) { try await unsent.value }

    #expect(ContinuousClock.now - start < .seconds(40))
    open.finish()
  }

  @Test(arguments: Kind.allCases)
  func `R10: a slot gets no question whose time is over`(kind: Kind) async throws {
    let server = try TestServer(kind)
    let (one, other) = (try await server.bus(), try await server.bus())
    let (gate, open) = AsyncStream.makeStream(of: Never.self)
    let (arrived, asked) = (Trace<Int>(), Trace<Int>())
    let numbers = Coding<Int>.json
    let noting = Coding<Int>(
      encode: { try numbers.encode($0) },
      decode: { bytes in
        let number = try numbers.decode(bytes)
        arrived.append(number)
        return number
      })
    other.answer("slow", as: noting, with: .json) { message in
      asked.append(message.payload)
      for await _ in gate {}
      return message.payload
    }
    try await other.flush()
    let first = Task { try await one.ask(0, at: "slow", for: Int.self, within: .seconds(50)) }
    #expect(await asked.wait(for: 1) == [0])

    await withTaskGroup { group in
      for number in 1...20 {
        group.addTask {
          await #expect(throws: BusError.timeout(subject: "slow")) {
            try await one.ask(number, at: "slow", for: Int.self, within: .milliseconds(50))
          }
        }
      }
    }
    #expect(await arrived.wait(for: 21).count == 21)
    // Their time begins when they arrive.
    try await Task.sleep(for: .milliseconds(100))
    let last = Task { try await one.ask(99, at: "slow", for: Int.self, within: .seconds(50)) }
    #expect(await arrived.wait(for: 22).count == 22)
    open.finish()

    #expect(try await first.value == 0)
    #expect(try await last.value == 99)
    #expect(asked.all == [0, 99])
  }

  @Test(arguments: Kind.allCases)
  func `answers reach an inbox whose prefix is not ASCII`(kind: Kind) async throws {
    let server = try TestServer(kind)
    var options = BusOptions.patient
    options.inboxPrefix = "grüße.ж"
    let bus = try await server.bus(options)
    bus.answer("double", of: Int.self) { $0.payload * 2 }
    try await bus.flush()

    #expect(try await bus.ask(7, at: "double", for: Int.self, within: .seconds(20)) == 14)
  }
}
