import Dispatch
import SignalObserver
import SignalObserverTesting
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CombiningTests {
  let north = EmitterArg<Int>()
  let south = EmitterArg<Int>()

  @Test func `20. A merge ends with the last of its sources`() {
    var south: EmitterArg<Int>? = EmitterArg<Int>()
    var north: EmitterArg<Int>? = EmitterArg<Int>()
    let (trace, observer) = merge(north!.signal, south!.signal).traced()
    north = nil
    #expect(!observer.isCancelled)
    south!.invoke(1)
    south = nil
    #expect(observer.isCancelled)
    #expect(trace.entries == [1])
  }

  @Test func `cancelling releases what waits for its turn`() {
    let census = Census()
    let (emitter, value) = (EmitterArg<Lifetime>(), EmitterValue(0))
    let observer = Box<SignalObserver>()
    let alive = Trace<Int>()
    observer.value = combineLatest(emitter.signal, value.signal)
      .connect(on: .inline) { _ in
        if observer.value?.isCancelled == true { return }
        RunningThread {
          for _ in 1...3 { emitter.invoke(census.member()) }
          alive.add(census.alive)
          observer.value?.cancel()
          alive.add(census.alive)
        }.join()
      }
    emitter.invoke(Lifetime())
    // The latest one is kept as long as the slot runs.
    #expect(alive.entries == [3, 1])
    observer.value = nil
  }

  @Test func `merge of values begins with all current ones`() {
    let (first, second) = (EmitterValue(1), EmitterValue(2))
    let (trace, _) = merge(first.signal, second.signal).traced()
    second.set(3)
    #expect(trace.entries == [1, 2, 3])
  }

  @Test func `cancelObservers ends connections that were made through operators`() {
    let log = Log()
    let target = Target("a", log)
    let (signal, other) = (north.signal, south.signal)
    let sources: [any SignalSource<Int>] = [
      signal.map { $0 }, merge(signal, other), signal.throttle(for: .zero),
      combineLatest(signal, signal).map { $0 + $1 }, signal.replay(1),
      merge(signal, other).replay(1).removeDuplicates(),
    ]
    for source in sources {
      source.connect(target, Target.show, .inline)
      #expect(signal.isConnected(to: target))
      signal.cancelObservers(of: target)
      #expect(!signal.isConnected(to: target))
      source.connect(target, Target.show, .inline)
    }
    signal.cancelObservers(of: target)
    north.invoke(1)

    #expect(log.entries.isEmpty)
  }

  @Test(arguments: [true, false])
  func `combining operators send what they have received, although their signal cancels all`(
    _ isMerged: Bool
  ) {
    let (queue, trace, signal) = (DispatchQueue(label: "combined"), Trace<Int>(), north.signal)
    let source: any SignalSource<Int> =
      isMerged ? merge(signal) : combineLatest(signal, signal.dropFirst(0)).map { $1 }
    queue.suspend()
    let observer = source.connect(on: queue) { trace.add($0) }
    signal.connect(on: queue) { _ in Issue.record("a slot was called") }
    north.invoke(1)
    north.cancelAllObservers()
    north.invoke(2)
    queue.resume()
    queue.sync {}

    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }

  @Test func `a replay ends with the prefix before it`() {
    let first = north.signal.prefix(1).replay(1)
    let early = first.traced().0
    north.invoke(1)
    let (late, observer) = first.traced()

    #expect(early.entries == [1])
    #expect(late.entries.isEmpty)
    #expect(observer.isCancelled)
  }

  @Test @MainActor func `a merged slot runs at once where the emission is`() {
    final class Label {
      var shown: [Int] = []
      func show(_ number: Int) { shown.append(number) }
    }
    let label = Label()
    merge(north.signal, south.signal).connect(label, Label.show)
    north.invoke(1)
    #expect(label.shown == [1])
  }

  @Test func `a one-shot of a merge is called once and ends all parts`() {
    let (first, second) = (EmitterValue(1), EmitterValue(2))
    let (trace, _) = merge(first.signal, second.signal, north.signal).prefix(1).traced()
    second.set(4)
    north.invoke(3)
    #expect(trace.entries == [1])
    #expect(north.signal.slotCount == 0)
  }

  @Test func `combineLatest waits for all and then sends with each`() {
    let (trace, observer) = combineLatest(north.signal, south.signal).map { [$0, $1] }.traced()
    north.invoke(1)
    north.invoke(2)
    south.invoke(3)
    north.invoke(4)
    observer.cancel()
    south.invoke(5)
    #expect(trace.entries == [[2, 3], [4, 3]])
    #expect(north.signal.slotCount == 0)
    #expect(south.signal.slotCount == 0)
  }

  @Test func `a pair that waits for its turn has the payloads of its own emission`() {
    let log = Log()
    let observer = combineLatest(north.signal, south.signal).connect(on: .inline) {
      [north, south] in
      log.add("\($0) \($1)")
      guard $0 == 1 else { return }
      north.invoke(2)
      south.invoke(3)
    }
    south.invoke(0)
    north.invoke(1)
    observer.cancel()

    #expect(log.entries == ["1 0", "2 0", "2 3"])
  }

  @Test func `combineLatest ends on the latest of all whichever threads emit`() async {
    for _ in 0..<200 {
      let (first, second) = (EmitterValue(0), EmitterValue(0))
      let (trace, _) = combineLatest(first.signal, second.signal).map { [$0, $1] }.traced()
      onThreads(2) { index in
        for number in 1...30 { (index == 0 ? first : second).set(number) }
      }
      #expect(await trace.entries(61).last == [30, 30])
      #expect(trace.entries.count == 61)
    }
  }

  @Test func `combineLatest releases payloads that are replaced and those of an ended connection`()
  {
    let (first, second) = (EmitterArg<Lifetime>(), EmitterArg<Int>())
    let observer = combineLatest(first.signal, second.signal).connect(on: .inline) { _, _ in }
    weak var replaced: Lifetime?
    weak var kept: Lifetime?
    do {
      let witnesses = [Lifetime(), Lifetime()]
      (replaced, kept) = (witnesses[0], witnesses[1])
      for witness in witnesses { first.invoke(witness) }
    }
    #expect(replaced == nil)
    #expect(kept != nil)
    observer.cancel()
    #expect(kept == nil)
  }

  @Test func `an emission that finds a dead target ends all parts of a combination`() {
    final class Target: Sendable { func receive(_: [Lifetime]) { Issue.record("called") } }
    let emitters = [EmitterArg<Lifetime>(), EmitterArg<Lifetime>()]
    var target: Target? = Target()
    combineLatest(emitters.map(\.signal)).connect(target!, Target.receive, .inline)
    weak var latest: Lifetime?
    do {
      let payload = Lifetime()
      latest = payload
      emitters[0].invoke(payload)
    }
    #expect(latest != nil)
    target = nil
    emitters[1].invoke(Lifetime())

    #expect(latest == nil)
  }

  @Test func `threads that emit, connect and cancel a merge leave nothing behind`() {
    for _ in 0..<100 {
      let (north, south) = (EmitterArg<Int>(), EmitterArg<Int>())
      let source = merge(north.signal, south.signal)
      let trace = Trace<Int>()
      let slots = (0..<20).map { _ in source.connect(on: .inline) { trace.add($0) } }
      onThreads(3) { index in
        switch index {
        case 0: for number in 1...20 { north.invoke(number) }
        case 1: for number in 1...20 { south.invoke(number) }
        default: for slot in slots { slot.cancel() }
        }
      }
      #expect(north.signal.slotCount == 0)
      #expect(south.signal.slotCount == 0)
    }
  }

  @Test func `11. A pair that is made while the observer is suspended is not sent after a resume`()
  {
    let (north, south) = (EmitterArg<Int>(), EmitterArg<Int>())
    let (observer, log) = (Box<SignalObserver>(), Log())
    observer.value = combineLatest(north.signal, south.signal).connect(on: .inline) {
      log.add("\($0) \($1)")
      guard $0 == 1 else { return }
      observer.value?.suspend()
      north.invoke(2)
      observer.value?.resume()
    }
    south.invoke(0)
    north.invoke(1)
    #expect(log.entries == ["1 0"])

    // The combination remembers what was emitted meanwhile.
    south.invoke(5)

    #expect(log.entries == ["1 0", "2 5"])
    observer.value?.cancel()
  }

  enum Combination: CaseIterable {
    case ofThree
    case ofFour
    case ofCombination
  }

  @Test(arguments: Combination.allCases)
  func `a suspended combination remembers every source`(_ combination: Combination) {
    let (first, last, trace) = (EmitterArg<Int>(), EmitterArg<Int>(), Trace<[Int]>())
    let (a, b, c) = (first.signal, first.signal.map { $0 * 10 }, last.signal)
    let observer =
      switch combination {
      case .ofThree: combineLatest(a, b, c).connect(on: .inline) { trace.add([$0, $1, $2]) }
      case .ofFour: combineLatest(a, b, c, c).connect(on: .inline) { trace.add([$0, $1, $2, $3]) }
      case .ofCombination:
        combineLatest(combineLatest(a, b).map { [$0, $1] }, c)
          .connect(on: .inline) { trace.add($0 + [$1]) }
      }
    first.invoke(1)
    last.invoke(5)
    observer.suspend()
    first.invoke(2)
    observer.resume()
    last.invoke(6)
    observer.cancel()

    #expect(trace.entries.first?.prefix(3) == [1, 10, 5])
    #expect(trace.entries.last?.prefix(3) == [2, 20, 6])
  }

  @Test func `a combination of three remembers what waits while it is suspended`() {
    let (middle, observer, log) = (EmitterArg<Int>(), Box<SignalObserver>(), Log())
    observer.value = combineLatest(north.signal, middle.signal, south.signal)
      .connect(on: .inline) {
        log.add("\($0) \($1) \($2)")
        guard $0 == 1 else { return }
        observer.value?.suspend()
        north.invoke(2)
        observer.value?.resume()
      }
    south.invoke(0)
    middle.invoke(0)
    north.invoke(1)
    #expect(log.entries == ["1 0 0"])
    south.invoke(5)
    observer.value?.cancel()

    #expect(log.entries == ["1 0 0", "2 0 5"])
  }

  @Test func `11. A pair that waits before another operator is not sent after a resume`() {
    let (observer, trace) = (Box<SignalObserver>(), Trace<Int>())
    observer.value = merge(combineLatest(north.signal, south.signal).map { $0 + $1 })
      .connect(on: .inline) { number in
        trace.add(number)
        guard number == 1 else { return }
        observer.value?.suspend()
        north.invoke(2)
        observer.value?.resume()
      }
    south.invoke(0)
    north.invoke(1)
    observer.value?.cancel()

    #expect(trace.entries == [1])
  }

  @Test func `combineLatest of three and of four sends each at its place`() {
    let emitters = (1...4).map { _ in EmitterArg<Int>() }
    let signals = emitters.map(\.signal)
    let log = Log()
    let three = combineLatest(signals[0], signals[1], signals[2])
    let four = combineLatest(signals[0], signals[1], signals[2], signals[3])
    let observers = [
      three.connect(on: .inline) { log.add("\($0) \($1) \($2)") },
      four.connect(on: .inline) { log.add("\($0) \($1) \($2) \($3)") },
    ]
    for (index, emitter) in emitters.enumerated() { emitter.invoke(index + 1) }
    emitters[1].invoke(7)
    for observer in observers { observer.cancel() }

    #expect(log.entries == ["1 2 3", "1 2 3 4", "1 7 3", "1 7 3 4"])
  }
}

private let places: [Place] = [.queue, .main, .actor]

/// A place also keeps the order of what operators send.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CombiningOrderTests {
  let queue = DispatchQueue(label: "place")
  let emitters = (0..<4).map { _ in EmitterArg<Int>() }
  let trace = Trace<Int>()
  let numbers = Array(0..<4000)

  private func emitInTurn() { for number in numbers { emitters[number % 4].invoke(number) } }

  @Test(arguments: places)
  func `18. Operators deliver in turn what signals send in turn`(_ place: Place) async {
    place.connect(emitters[0].signal.map { $0 + 1 }.map { $0 - 1 }, queue) { [trace] in
      trace.add($0)
    }
    place.connect(emitters[1].signal.filter { $0 >= 0 }.removeDuplicates(), queue) { [trace] in
      trace.add($0)
    }
    place.connect(emitters[2].signal.scan(0) { $1 }.prefix(4000), queue) { [trace] in trace.add($0)
    }
    place.connect(emitters[3].signal, queue) { [trace] in trace.add($0) }

    emitInTurn()

    #expect(await trace.entries(4000) == numbers)
  }

  @Test(arguments: places)
  func `18. A merge, and a slot beside it, deliver in turn what signals send in turn`(
    _ place: Place
  ) async {
    let merged = merge(emitters[0].signal, emitters[1].signal, emitters[2].signal)
    place.connect(merged, queue) { [trace] in trace.add($0) }
    place.connect(emitters[3].signal, queue) { [trace] in trace.add($0) }

    emitInTurn()

    #expect(await trace.entries(4000) == numbers)
  }

  @Test(arguments: places)
  func `18. What combineLatest delivers keeps its order beside another signal`(
    _ place: Place
  ) async {
    // The newest is the largest.
    let newest = combineLatest(emitters[0].signal, emitters[1].signal).map { max($0, $1) }
    place.connect(newest, queue) { [trace] in trace.add($0) }
    for emitter in emitters[2...] {
      place.connect(emitter.signal, queue) { [trace] in trace.add($0) }
    }

    emitInTurn()

    // It waits for both.
    #expect(await trace.entries(3999) == Array(1..<4000))
  }

  @Test(arguments: places)
  func `18. An operator of time sends in the order of its deliveries`(
    _ place: Place
  ) async {
    let clock = ManualClock()
    place.connect(emitters[0].signal.delay(for: .seconds(1), clock: clock), queue) { [trace] in
      trace.add($0)
    }
    for number in 0..<300 { emitters[0].invoke(number) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))

    #expect(await trace.entries(300) == Array(0..<300))
    emitters[0].cancelAllObservers()
  }

  @Test func `18. merge into one asynchronous slot orders what signals send in turn`() async {
    let merged = merge(
      emitters[0].signal, emitters[1].signal, emitters[2].signal, emitters[3].signal)
    merged.connect { [trace] (number: Int) async in
      await Task.yield()
      trace.add(number)
    }

    emitInTurn()

    #expect(await trace.entries(4000) == numbers)
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ZipTests {
  @Test func `zip sends pairs in order, whichever side is ahead`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let (trace, observer) = first.signal.zip(second.signal).map { [$0, $1] }.traced()
    for number in 1...3 { first.invoke(number) }
    for number in 10...14 { second.invoke(number) }
    first.invoke(4)
    #expect(trace.entries == [[1, 10], [2, 11], [3, 12], [4, 13]])
    observer.cancel()
    #expect(first.signal.slotCount + second.signal.slotCount == 0)
  }

  @Test func `zip of three sends triples`() {
    let emitters = (0..<3).map { _ in EmitterArg<Int>() }
    let signals = emitters.map(\.signal)
    let (trace, _) = signals[0].zip(signals[1], signals[2]).map { [$0, $1, $2] }.traced()
    for number in 1...2 { for emitter in emitters { emitter.invoke(number) } }
    emitters[0].invoke(3)
    emitters[2].invoke(3)
    #expect(trace.entries == [[1, 1, 1], [2, 2, 2]])
  }

  @Test func `zip of values begins with their current values`() {
    let (first, second) = (EmitterValue(1), EmitterValue(2))
    let (trace, _) = first.signal.zip(second.signal).map { [$0, $1] }.traced()
    first.set(3)
    second.set(4)
    #expect(trace.entries == [[1, 2], [3, 4]])
  }

  @Test func `zip ends when a side can send nothing more`() {
    var first: EmitterArg<Int>? = EmitterArg<Int>()
    let second = EmitterArg<Int>()
    let (trace, observer) = first!.signal.zip(second.signal).map { [$0, $1] }.traced()
    for number in 1...2 { first!.invoke(number) }
    first = nil
    #expect(!observer.isCancelled)
    second.invoke(10)
    #expect(!observer.isCancelled)
    second.invoke(11)
    #expect(observer.isCancelled)
    second.invoke(12)
    #expect(trace.entries == [[1, 10], [2, 11]])
    #expect(second.signal.slotCount == 0)
  }

  @Test func `zip ends at once when a side without waiting payloads dies, or is dead`() {
    var first: EmitterArg<Int>? = EmitterArg<Int>()
    let second = EmitterArg<Int>()
    let dead = first!.signal
    let observer = dead.zip(second.signal).connect(on: .inline) { _, _ in }
    second.invoke(10)
    #expect(!observer.isCancelled)
    first = nil
    #expect(observer.isCancelled)
    #expect(dead.zip(second.signal).connect(on: .inline) { _, _ in }.isCancelled)
    #expect(second.signal.zip(dead).connect(on: .inline) { _, _ in }.isCancelled)
    #expect(second.signal.slotCount == 0)
  }

  @Test func `a pair that is made while the observer is suspended is dropped`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let (trace, observer) = first.signal.zip(second.signal).map { [$0, $1] }.traced()
    first.invoke(1)
    observer.suspend()
    second.invoke(10)
    first.invoke(2)
    observer.resume()
    second.invoke(11)
    #expect(trace.entries == [[2, 11]])
  }

  @Test func `zip under threads pairs all payloads, each once`() async {
    let emitters = [EmitterArg<Int>(), EmitterArg<Int>()]
    let (trace, _) = emitters[0].signal.zip(emitters[1].signal).map { [$0, $1] }.traced()
    onThreads(2) { index in for number in 0..<2000 { emitters[index].invoke(number) } }
    // A global queue may deliver the last ones, after the threads have ended.
    #expect(await trace.entries(2000) == (0..<2000).map { [$0, $0] })
  }

  @Test func `zip releases the payloads that wait when the connection ends`() {
    let (first, second) = (EmitterArg<Lifetime>(), EmitterArg<Int>())
    let observer = first.signal.zip(second.signal).connect(on: .inline) { _, _ in }
    weak var waiting: Lifetime?
    do {
      let payload = Lifetime()
      waiting = payload
      first.invoke(payload)
    }
    #expect(waiting != nil)
    observer.cancel()
    #expect(waiting == nil)
  }

  @Test func `a slot of a pair may emit to both sides`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let trace = Trace<[Int]>()
    let observer = first.signal.zip(second.signal).connect(on: .inline) { [first, second] in
      trace.add([$0, $1])
      guard $0 < 3 else { return }
      first.invoke($0 + 1)
      second.invoke($1 + 1)
    }
    first.invoke(1)
    second.invoke(11)
    observer.cancel()
    #expect(trace.entries == [[1, 11], [2, 12], [3, 13]])
  }
}
