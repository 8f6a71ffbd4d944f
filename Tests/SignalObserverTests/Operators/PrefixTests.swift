import Dispatch
import SignalObserver
import SignalObserverTesting
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct PrefixTests {
  let emitter = EmitterArg<Int>()

  @Test func `a one-shot slot of a value is called with the current one only`() {
    let value = EmitterValue(1)
    let (trace, observer) = value.signal.prefix(1).traced()
    value.set(2)
    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }

  @Test(arguments: [true, false], [true, false])
  func `15. prefix before scan sends each payload, also if a thread does it for others`(
    isCounted: Bool, isMerged: Bool
  ) async {
    let (trace, entered, mayGo) = (Trace<Int>(), Gate(), Gate())
    let slot: @Sendable (Int) -> Void = { sum in
      trace.add(sum)
      if sum == 1 {
        entered.open()
        mayGo.pass()
      }
    }
    func connect(_ source: some SignalSource<Int>) -> SignalObserver {
      isMerged
        ? merge([source]).scan(0) { $0 + $1 }.connect(on: .inline, slot)
        : source.scan(0) { $0 + $1 }.connect(on: .inline, slot)
    }
    let observer =
      isCounted
      ? connect(emitter.signal.prefix(200)) : connect(emitter.signal.prefix { $0 == 1 })
    onThreads(2) { [emitter] index in
      if index == 0 { return emitter.invoke(1) }
      entered.pass()
      for _ in 1..<200 { emitter.invoke(1) }
      emitter.invoke(2)
      mayGo.open()
    }
    #expect(await trace.entries(200) == Array(1...200))
    await until("the connection to end") { observer.isCancelled }
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `what connecting delivers is not sent either after what was refused`() {
    let recent = emitter.signal.replay(5)
    for number in [1, 100, 2, 200, 3] { emitter.invoke(number) }
    let (trace, observer) = recent.prefix { $0 < 50 }.traced()
    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }

  @Test func `prefix calls an async method of its target, and then ends`() async {
    let (emitter, reader) = (EmitterArg<Int>(), Reader())
    let observer = emitter.signal.prefix(2).connect(reader, Reader.read)
    for number in 1...3 { emitter.invoke(number) }

    #expect(await reader.numbers.entries(2) == [1, 2])
    await until("the end of the connection") { observer.isCancelled }
  }

  @Test func `the task of a one-shot async slot is not cancelled while it runs`() async {
    let trace = Trace<Bool>()
    emitter.signal.prefix(1).connect { _ async in
      await Task.yield()
      trace.add(Task.isCancelled)
    }
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(await trace.entries(1) == [false])
  }

  @Test func `no more payloads than a prefix sends wait for a stopped queue`() {
    let (emitter, census, queue) = (EmitterArg<Lifetime>(), Census(), DispatchQueue(label: "slots"))
    let calls = Trace<Int>()
    queue.suspend()
    emitter.signal.prefix(2).map { _ in 1 }.connect(on: queue) { calls.add($0) }
    for _ in 0..<1000 { emitter.invoke(census.member()) }
    #expect(census.alive == 2)
    queue.resume()
    queue.sync {}
    queue.sync {}
    #expect(calls.entries == [1, 1])
    #expect(census.alive == 0)
  }

  @Test func `a prefix behind an operator that drops payloads misses none`() {
    let queue = DispatchQueue(label: "slots")
    let trace = Trace<Int>()
    queue.suspend()
    emitter.signal.filter { $0 > 90 }.prefix(2).connect(on: queue) { trace.add($0) }
    emitter.signal.compactMap { $0 > 80 ? $0 : nil }.prefix(2).connect(on: queue) { trace.add($0) }
    emitter.signal.removeDuplicates().prefix(2).connect(on: queue) { trace.add($0) }
    emitter.signal.dropFirst(70).prefix(3).prefix(2).connect(on: queue) { trace.add($0) }
    for number in 1...100 { emitter.invoke(number / 2 * 2) }
    queue.resume()
    // A drain delivers at most 128 payloads.
    for _ in 0..<8 { queue.sync {} }
    #expect(trace.entries.sorted() == [0, 2, 70, 72, 82, 82, 92, 92])
  }

  @Test(arguments: [false, true])
  func `a prefix that has begun its last call keeps no payload`(isFiltered: Bool) async {
    let (emitter, census) = (EmitterArg<Lifetime>(), Census())
    let (hasBegun, mayEnd, trace) = (Gate(), Box(false), Trace<Int>())
    func connect(_ source: some SignalSource<Lifetime>) -> SignalObserver {
      source.connect { (_: Lifetime) async in
        hasBegun.open()
        await until("the end of the test") { mayEnd.value == true }
        trace.add(Task.isCancelled ? 1 : 0)
      }
    }
    let observer =
      isFiltered
      ? connect(emitter.signal.filter { _ in true }.prefix(1)) : connect(emitter.signal.prefix(1))
    for _ in 0..<100 { emitter.invoke(census.member()) }
    await onThread { hasBegun.pass() }
    // The call has one, and a drain that it began in may have taken one.
    #expect(census.alive <= 2)
    for _ in 0..<1000 { emitter.invoke(census.member()) }
    #expect(census.alive <= 2)
    #expect(!observer.isCancelled)
    mayEnd.value = true
    #expect(await trace.entries(1) == [0])
    await until("the end") { observer.isCancelled && census.alive == 0 }
  }

  @Test func `a prefix on a queue keeps nothing during its last call`() {
    let (emitter, census) = (EmitterArg<Lifetime>(), Census())
    let (hasBegun, mayEnd, queue) = (Gate(), Gate(), DispatchQueue(label: "slots"))
    let observer = emitter.signal.filter { _ in true }.prefix(1).connect(on: queue) { _ in
      hasBegun.open()
      mayEnd.pass()
    }
    queue.suspend()
    for _ in 0..<100 { emitter.invoke(census.member()) }
    queue.resume()
    hasBegun.pass()
    for _ in 0..<1000 { emitter.invoke(census.member()) }
    #expect(census.alive == 1)
    mayEnd.open()
    queue.sync {}
    #expect(observer.isCancelled)
    #expect(census.alive == 0)
  }

  @Test func `a prefix does not count what was dropped while the observer was suspended`() {
    let (queue, trace) = (DispatchQueue(label: "slots"), Trace<Int>())
    let observer = emitter.signal.prefix(2).connect(on: queue) { trace.add($0) }
    queue.suspend()
    for number in 1...5 { emitter.invoke(number) }
    observer.suspend()
    queue.resume()
    queue.sync {}
    queue.sync {}
    observer.resume()
    for number in 6...9 { emitter.invoke(number) }
    queue.sync {}
    queue.sync {}
    #expect(trace.entries == [6, 7])
  }

  @Test func `a prefix of nothing is cancelled from the start`() {
    let (trace, observer) = emitter.signal.prefix(0).traced()
    emitter.invoke(1)
    #expect(observer.isCancelled)
    #expect(trace.entries.isEmpty)
  }

  @Test func `a prefix for a time that is cancelled does not wait for it`() async {
    let clock = ManualClock()
    let (_, observer) = emitter.signal.prefix(for: .seconds(2), clock: clock).traced()
    await clock.waitForSleepers(1)
    observer.cancel()
    await until("the end of the sleep") { clock.sleeperCount == 0 }
    #expect(emitter.signal.slotCount == 0)
  }
}

private final class Reader: Sendable {
  let numbers = Trace<Int>()

  @concurrent func read(_ number: Int) async { numbers.add(number) }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct PrefixUntilTests {
  let emitter = EmitterArg<Int>()
  let stop = EmitterVoid()

  @Test func `prefix(until:) ends the connection when the other source sends`() {
    let (trace, observer) = emitter.signal.prefix(until: stop.signal).traced()
    emitter.invoke(1)
    stop.invoke()
    emitter.invoke(2)
    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
    #expect(emitter.signal.slotCount + stop.signal.slotCount == 0)
  }

  @Test func `prefix(until:) leaves nothing at the other source when the connection ends`() {
    let (_, observer) = emitter.signal.prefix(until: stop.signal).traced()
    #expect(stop.signal.slotCount == 1)
    observer.cancel()
    #expect(stop.signal.slotCount == 0)
  }

  @Test func `prefix(until:) of a value that sends on connecting sends nothing`() {
    let value = EmitterValue(0)
    let current = EmitterValue(1)
    let (trace, observer) = current.signal.prefix(until: value.signal).traced()
    #expect(trace.entries.isEmpty)
    #expect(observer.isCancelled)
    let (changes, _) = current.signal.prefix(until: value.signal.changes).traced()
    value.set(1)
    current.set(2)
    #expect(changes.entries == [1])
  }

  @Test func `prefix(until:) sends nothing more when a slot ends it while connecting`() {
    let value = EmitterValue(1)
    let trace = Trace<Int>()
    let observer = value.signal.prefix(until: stop.signal).connect(on: .inline) { number in
      trace.add(number)
      stop.invoke()
      if number < 3 { value.set(number + 1) }
    }
    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
    #expect(value.signal.slotCount + stop.signal.slotCount == 0)
  }

  @Test func `prefix(until:) stays connected when the other emitter dies`() {
    var other: EmitterVoid? = EmitterVoid()
    let (trace, observer) = emitter.signal.prefix(until: other!.signal).traced()
    other = nil
    emitter.invoke(1)
    #expect(trace.entries == [1])
    #expect(!observer.isCancelled)
  }

  @Test func `prefix(until:) drops what waits for a queue`() {
    let queue = DispatchQueue(label: "slots")
    let trace = Trace<Int>()
    queue.suspend()
    emitter.signal.prefix(until: stop.signal).connect(on: queue) { trace.add($0) }
    emitter.invoke(1)
    stop.invoke()
    queue.resume()
    queue.sync {}
    #expect(trace.entries.isEmpty)
  }

  @Test func `payloads that are not Sendable pass through prefix(until:)`() {
    final class Page { var title = "a" }
    let opened = EmitterArg<Page>()
    var titles: [String] = []
    opened.signal.prefix(until: stop.signal).connect { titles.append($0.title) }
    opened.invoke(Page())
    stop.invoke()
    opened.invoke(Page())
    #expect(titles == ["a"])
  }
}
