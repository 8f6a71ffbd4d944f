import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct SignalValuesTests {
  @Test func `every consumer gets every payload`() async {
    let source = Source<Int>()
    let consumers = [source.sent.values, source.sent.values, source.sent.values]
    for payload in 1...3 { source.send(payload) }
    source.end()

    for consumer in consumers {
      #expect(await collect(consumer) == [1, 2, 3])
    }
  }

  @Test func `nothing is missed between the call of values and the first next`() async {
    let source = Source<Int>()
    let values = source.sent.values
    source.send(1)
    source.send(2)

    var iterator = values.makeAsyncIterator()
    let first = await iterator.next()
    let second = await iterator.next()
    #expect([first, second] == [1, 2])
  }

  @Test func `a sequence for an object ends when the object has died`() async {
    let source = Source<Int>()
    let values: SignalValues<Int>
    do {
      let target = AsyncGate()
      values = source.sent.values(for: target)
      source.send(1)
      target.open()
    }
    source.send(2)

    #expect(await collect(values) == [1])
  }

  @Test func `tasks for objects that died end when others connect`() async {
    let source = Source<Int>()
    let waiting = Census()
    for _ in 0..<1000 {
      let values = source.sent.values(for: AsyncGate())
      Task { [member = waiting.member()] in
        for await _ in values { member.use() }
      }
    }
    // A signal looks for dead targets when it has more than eight connections.
    await until("the tasks to end") { waiting.alive <= 9 }
    source.end()
    await until("the last tasks to end") { waiting.alive == 0 }
    #expect(source.sent.slotCount == 0)
  }

  @Test func `a consumer that waits gets what is sent meanwhile`() async {
    let source = Source<Int>()
    let received = Trace<Int>()
    let values = source.sent.values
    let consumed = Source<Void>()
    let consumption = consumed.sent.values
    let task = Task {
      for await payload in values {
        received.add(payload)
        consumed.send(())
      }
    }
    var consumptions = consumption.makeAsyncIterator()
    for payload in 1...3 {
      source.send(payload)
      await consumptions.next()
    }
    task.cancel()

    #expect(received.entries == [1, 2, 3])
  }

  @Test func `a further iterator gets every payload from when it is made`() async {
    let source = Source<Int>()
    let values = source.sent.values
    var first = values.makeAsyncIterator()
    source.send(1)
    var second = values.makeAsyncIterator()
    source.send(2)
    source.end()

    #expect(await [first.next(), first.next(), first.next()] == [1, 2, nil])
    #expect(await [second.next(), second.next()] == [2, nil])
  }

  @Test func `every source has values, also one that is derived`() async {
    let source = Source<Int>()
    let values = source.sent.filter { $0 > 1 }.map { "\($0)" }.values
    for payload in 1...3 { source.send(payload) }
    source.end()

    #expect(await collect(values) == ["2", "3"])
  }

  @Test func `the values of a value begin with the current one`() async {
    let value = EmitterValue(1)
    let values = value.signal.values
    value.value = 2
    var received: [Int] = []
    for await payload in values {
      received.append(payload)
      if payload == 2 { break }
    }

    #expect(received == [1, 2])
  }

  // MARK: - Buffers

  @Test func `an unbounded buffer keeps everything and drops nothing`() async {
    let source = Source<Int>()
    let values = source.sent.values(buffering: .unbounded)
    for payload in 0..<10_000 { source.send(payload) }
    source.end()

    #expect(await collect(values) == Array(0..<10_000))
    #expect(values.droppedCount == 0)
  }

  @Test func `a buffer of the oldest keeps the first and counts the rest`() async {
    let source = Source<Int>()
    let values = source.sent.values(buffering: .oldest(2))
    for payload in 1...5 { source.send(payload) }
    source.end()

    #expect(await collect(values) == [1, 2])
    #expect(values.droppedCount == 3)
  }

  @Test func `a buffer of the newest keeps the last and counts the rest`() async {
    let source = Source<Int>()
    let values = source.sent.values(buffering: .newest(2))
    for payload in 1...5 { source.send(payload) }
    source.end()

    #expect(await collect(values) == [4, 5])
    #expect(values.droppedCount == 3)
  }

  @Test(arguments: [(SignalBuffering.oldest(1), 1), (.newest(1), 2)])
  func `a full buffer of one iterator keeps nothing from the others`(
    _ buffering: SignalBuffering, _ kept: Int
  ) async {
    let source = Source<Int>()
    let values = source.sent.values(buffering: buffering)
    var first = values.makeAsyncIterator()
    source.send(1)
    var second = values.makeAsyncIterator()
    source.send(2)
    source.end()

    #expect(await [first.next(), first.next()] == [kept, nil])
    #expect(await [second.next(), second.next()] == [2, nil])
    #expect(values.droppedCount == 1)
  }

  @Test func `a payload is dropped outside the lock`() async {
    let source = Source<Probe>()
    let values = source.sent.values(buffering: .newest(1))
    let dropped = Trace<Int>()

    // Asking for the count takes the lock, which does not recurse.
    source.send(Probe { dropped.add(values.droppedCount) })
    source.send(Probe {})

    #expect(dropped.entries == [1])
  }

  // MARK: - Ends

  @Test func `it ends when the emitter is gone and what was sent is consumed`() async {
    let source = Source<Int>()
    let values = source.sent.values
    source.send(1)
    source.end()

    var iterator = values.makeAsyncIterator()
    #expect(await [iterator.next(), iterator.next(), iterator.next()] == [1, nil, nil])
  }

  @Test @MainActor func `a consumer that waits is ended by the death of the emitter`() async {
    let source = Source<Int>()
    let values = source.sent.values
    let task = await begun { await collect(values) }
    source.end()

    #expect(await task.value == [])
  }

  @Test func `on a signal whose emitter is gone it is at its end`() async {
    let source = Source<Int>()
    source.end()

    #expect(await collect(source.sent.values) == [])
  }

  @Test func `leaving the loop disconnects at once, also when the sequence is kept`() async {
    let source = Source<Int>()
    let values = source.sent.values
    source.send(1)
    #expect(source.sent.slotCount == 1)

    for await _ in values { break }

    #expect(source.sent.slotCount == 0)
    source.send(2)
    #expect(await collect(values) == [])
  }

  @Test @MainActor func `cancelling the task that waits disconnects at once`() async {
    let source = Source<Int>()
    let values = source.sent.values
    let task = await begun { await collect(values) }
    #expect(source.sent.slotCount == 1)
    task.cancel()
    #expect(source.sent.slotCount == 0)

    #expect(await task.value == [])
  }

  @Test @MainActor func `consumers in tasks that are cancelled leave no slot`() async {
    let source = Source<Int>()
    var tasks: [Task<Void, Never>] = []
    for _ in 0..<50 {
      tasks.append(await begun { _ = await collect(source.sent.values) })
      tasks.append(await begun { _ = await source.sent.next() })
      tasks.append(await begun { _ = await source.sent.filter { _ in false }.next() })
      tasks.append(await begun { _ = await source.sent.next(timeout: .seconds(600)) })
    }
    #expect(source.sent.slotCount == 200)
    for task in tasks { task.cancel() }

    #expect(source.sent.slotCount == 0)
    for task in tasks { await task.value }
  }

  @Test @MainActor func `cancelling the sequence ends every loop, and drops what waits`() async {
    let source = Source<Int>()
    let values = source.sent.values
    var full = values.makeAsyncIterator()
    let waiting = await begun { await collect(values) }
    source.send(1)
    values.cancel()
    values.cancel()

    #expect(source.sent.slotCount == 0)
    #expect(await full.next() == nil)
    #expect(await waiting.value == [1])
    #expect(await collect(values) == [])
  }

  @Test func `a payload that cancelling drops is released outside the lock`() {
    let source = Source<Probe>()
    let values = source.sent.values
    let dropped = Trace<Int>()
    source.send(Probe { dropped.add(values.droppedCount) })
    values.cancel()

    #expect(dropped.entries == [0])
  }

  @Test func `a stream of values finishes when the emitter is gone and all is consumed`() async {
    let source = Source<Int>()
    let stream = AsyncStream(source.sent.values(buffering: .newest(2)))
    for payload in 1...3 { source.send(payload) }
    source.end()

    #expect(await collect(stream) == [2, 3])
    #expect(await collect(stream) == [])
  }

  @Test @MainActor func `a stream of values disconnects with its task, or when dropped`() async {
    let source = Source<Int>()
    let task = await begun { await collect(AsyncStream(source.sent.values)) }
    #expect(source.sent.slotCount == 1)
    task.cancel()
    #expect(await task.value == [])
    #expect(source.sent.slotCount == 0)
    do {
      let stream = AsyncStream(source.sent.values)
      withExtendedLifetime(stream) { #expect(source.sent.slotCount == 1) }
    }
    #expect(source.sent.slotCount == 0)
  }

  @Test func `an iterator that two tasks wait on stops the program with what to do`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { @MainActor in
      let emitter = EmitterArg<Int>()
      let iterator = emitter.signal.values.makeAsyncIterator()
      for _ in 0..<2 {
        Task { @MainActor in
          var own = iterator
          _ = await own.next()
        }
      }
      // Both wait by then.
      for _ in 0..<100 { await Task.yield() }
      withExtendedLifetime(emitter) {}
    }
    #if DEBUG
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(text.contains("one iterator for each task"))
    #else
      _ = result
    #endif
  }

  @Test func `a sequence that is dropped without being iterated is disconnected`() {
    let source = Source<Int>()
    do {
      let values = source.sent.values
      withExtendedLifetime(values) { #expect(source.sent.slotCount == 1) }
    }

    #expect(source.sent.slotCount == 0)
  }

  @Test func `it holds neither the emitter nor its owner`() {
    final class Owner {
      @EmitterArg<Int> var sent
    }
    var owner: Owner? = Owner()
    @Weakly var observed = owner
    let values = owner?.sent.values
    owner = nil

    withExtendedLifetime(values) { #expect(observed == nil) }
  }

  @Test func `7. No lock is held while a task is resumed: it may send from there`() async {
    let source = Source<Int>()
    let values = source.sent.values
    source.send(0)
    var received: [Int] = []
    for await payload in values {
      received.append(payload)
      if payload == 3 { break }
      source.send(payload + 1)
    }

    #expect(received == [0, 1, 2, 3])
  }

  // MARK: - Threads

  @Test func `threads that emit at once lose nothing, and each keeps its order`() async {
    let source = Source<(thread: Int, number: Int)>()
    let values = source.sent.values
    await runTogether(
      (0..<4).map { thread in
        { for number in 0..<5_000 { source.send((thread, number)) } }
      })

    var numbers = [[Int]](repeating: [], count: 4)
    var iterator = values.makeAsyncIterator()
    for _ in 0..<20_000 {
      if let payload = await iterator.next() { numbers[payload.thread].append(payload.number) }
    }
    #expect(numbers == [[Int]](repeating: Array(0..<5_000), count: 4))
  }

  @Test func `an emission that races with values is seen whole, from the connection on`() async {
    for _ in 0..<500 {
      let source = Source<Int>()
      let connected = Trace<SignalValues<Int>>()
      await runTogether([
        { for payload in 0..<20 { source.send(payload) } },
        { connected.add(source.sent.values) },
      ])
      source.send(20)
      var iterator = connected.entries[0].makeAsyncIterator()
      var payloads: [Int] = []
      while payloads.last != 20, let payload = await iterator.next() { payloads.append(payload) }

      #expect(payloads == Array((payloads.first ?? 0)...20))
    }
  }

  @Test func `cancellation that races with delivery returns, and leaves no slot`() async {
    let source = Source<Int>()
    for _ in 0..<500 {
      let task = Task { await collect(source.sent.values) }
      await runTogether([{ source.send(1) }, { task.cancel() }])

      #expect([[], [1]].contains(await task.value))
    }
    #expect(source.sent.slotCount == 0)
  }

  @Test @MainActor func `all consumers that wait get what is sent`() async {
    let source = Source<Int>()
    let values = source.sent.values
    var tasks: [Task<Int?, Never>] = []
    for _ in 0..<3 {
      tasks.append(
        await begun {
          var iterator = values.makeAsyncIterator()
          return await iterator.next()
        })
    }
    source.send(1)
    source.end()

    for task in tasks { #expect(await task.value == 1) }
  }

  @Test func `dropping one of two iterators leaves the other connected`() async {
    let source = Source<Int>()
    let values = source.sent.values
    var first = values.makeAsyncIterator()
    do {
      source.send(1)
      var second = values.makeAsyncIterator()
      source.send(2)
      #expect(await second.next() == 2)
    }
    source.send(3)
    var numbers: [Int?] = []
    for _ in 1...3 { numbers.append(await first.next()) }

    #expect(numbers == [1, 2, 3])
    #expect(source.sent.slotCount == 1)
  }
}

private func collect<Values: AsyncSequence>(_ values: Values) async -> [Values.Element]
where Values.Failure == Never {
  var payloads: [Values.Element] = []
  for await payload in values { payloads.append(payload) }
  return payloads
}

/// Does something when it is released.
private final class Probe: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

  deinit { onDeinit() }
}
