import Dispatch
import SignalObserver
import Synchronization
import Testing

/// The places whose slots share one order; each test that takes one is run for all of them.
private let places: [Place] = [.queue, .main, .actor]

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct PlaceTests {
  let queue = DispatchQueue(label: "place")
  let log = Log()

  // MARK: - The order across slots and signals

  @Test(arguments: places)
  func `18. 20,000 of one signal precede one of another, on a queue, main and an actor`(
    _ place: Place
  ) async {
    let (progressed, finished) = (EmitterArg<Int>(), EmitterVoid())
    let calls = Calls()
    place.connect(progressed.signal, queue) { _ in calls.add() }
    place.connect(finished.signal, queue) { [log] in log.add("\(calls.count)") }

    for number in 0..<20_000 { progressed.invoke(number) }
    finished.invoke()

    #expect(await log.entries(1) == ["20000"])
  }

  @Test(arguments: places)
  func `18. What three signals send in turn is delivered in turn`(_ place: Place) async {
    let emitters = (0..<3).map { _ in EmitterArg<Int>() }
    let trace = Trace<Int>()
    for emitter in emitters { place.connect(emitter.signal, queue) { trace.add($0) } }

    for number in 0..<3000 { emitters[number % 3].invoke(number) }

    #expect(await trace.entries(3000) == Array(0..<3000))
  }

  @Test(arguments: places)
  func `18. What slots emit is delivered after what waits already`(
    _ place: Place
  ) async {
    let (first, second, third) = (EmitterArg<Int>(), EmitterArg<Int>(), EmitterArg<Int>())
    place.connect(first.signal, queue) { [log] number in
      log.add("first \(number)")
      second.invoke(number)
      third.invoke(number)
    }
    place.connect(second.signal, queue) { [log] in log.add("second \($0)") }
    place.connect(third.signal, queue) { [log] in log.add("third \($0)") }

    let hold = place.hold(queue)
    for number in 0..<2 { first.invoke(number) }
    second.invoke(2)
    hold.open()

    #expect(
      await log.entries(7) == [
        "first 0", "first 1", "second 2", "second 0", "third 0", "second 1", "third 1",
      ])
  }

  @Test(arguments: places)
  func `18. Each thread's emissions keep their order across signals`(_ place: Place) async {
    let emitters = (0..<3).map { _ in EmitterArg2<Int, Int>() }
    let trace = Trace<(thread: Int, number: Int)>()
    for emitter in emitters { place.connect(emitter.signal, queue) { trace.add(($0.0, $0.1)) } }

    onThreads(4) { thread in
      for number in 0..<1000 { emitters[(thread + number) % 3].invoke(thread, number) }
    }

    let entries = await trace.entries(4000)
    for thread in 0..<4 {
      #expect(entries.filter { $0.thread == thread }.map(\.number) == Array(0..<1000))
    }
  }

  @Test func `18. Two methods of one main-actor object see the order of emission`() async {
    let (progressed, finished) = (EmitterArg<Int>(), EmitterVoid())
    let window = await Window(log)
    progressed.signal.connect(window, Window.progress)
    finished.signal.connect(window, Window.finish)

    await onThread {
      for number in 0..<1000 { progressed.invoke(number) }
      finished.invoke()
    }

    #expect(await log.entries(1) == ["finished after 1000"])
    withExtendedLifetime(window) {}
  }

  // MARK: - Taking turns

  @Test(arguments: places)
  func `18. Slots of one place never overlap`(_ place: Place) async {
    await expectNoOverlap(place, queue)
  }

  @Test func `18. Slots of one concurrent queue never overlap`() async {
    await expectNoOverlap(.queue, DispatchQueue(label: "concurrent", attributes: .concurrent))
  }

  private func expectNoOverlap(_ place: Place, _ queue: DispatchQueue) async {
    let emitters = (0..<3).map { _ in EmitterArg<Int>() }
    let (inProgress, overlaps, calls) = (InProgress(), Calls(), Calls())
    for emitter in emitters + emitters {
      place.connect(emitter.signal, queue) { _ in
        if inProgress.begin() != 1 { overlaps.add() }
        calls.add()
        inProgress.end()
      }
    }

    onThreads(3) { thread in for number in 0..<2000 { emitters[thread].invoke(number) } }

    await until("12,000 calls") { calls.count >= 12_000 }
    #expect(calls.count == 12_000)
    #expect(overlaps.count == 0)
  }

  @Test func `18. A concurrent queue keeps the order across signals`() async {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let emitters = (0..<3).map { _ in EmitterArg<Int>() }
    let trace = Trace<Int>()
    for emitter in emitters { emitter.signal.connect(on: queue) { trace.add($0) } }

    for number in 0..<9000 { emitters[number % 3].invoke(number) }

    #expect(await trace.entries(9000) == Array(0..<9000))
  }

  // MARK: - What is a place

  @Test func `18. Two places are independent`() async {
    let emitter = EmitterArg<Int>()
    let free = DispatchQueue(label: "free")
    emitter.signal.connect(on: queue) { [log] in log.add("blocked \($0)") }
    emitter.signal.connect(on: free) { [log] in log.add("free \($0)") }
    Place.actor.connect(emitter.signal) { [log] in log.add("actor \($0)") }

    queue.suspend()
    for number in 0..<200 { emitter.invoke(number) }
    let entries = await log.entries(400)
    queue.resume()

    #expect(entries.count { $0.hasPrefix("free") } == 200)
    #expect(await log.entries(600).dropFirst(400) == (0..<200).map { "blocked \($0)" }[...])
  }

  @Test func `18. An actor stays one place, however many other actors are connected meanwhile`()
    async
  {
    actor Passer {}
    let (first, second, others) = (EmitterArg<Int>(), EmitterArg<Int>(), EmitterVoid())
    let trace = Trace<Int>()
    let passers = (0..<1000).map { _ in Passer() }
    Place.actor.connect(first.signal) { trace.add($0) }
    for passer in passers { others.signal.connect(passer) { _ in } }
    Place.actor.connect(second.signal) { trace.add($0) }

    let hold = Place.actor.hold(queue)
    for number in 0..<4 { (number % 2 == 0 ? first : second).invoke(number) }
    hold.open()

    #expect(await trace.entries(4) == [0, 1, 2, 3])
    withExtendedLifetime(passers) {}
  }

  @Test func `18. A queue that targets another is a place of its own`() {
    let emitter = EmitterArg<Int>()
    let upper = DispatchQueue(label: "upper", target: queue)
    emitter.signal.connect(on: upper) { [log] in log.add("upper \($0)") }
    emitter.signal.connect(on: queue) { [log] in log.add("lower \($0)") }

    upper.suspend()
    emitter.invoke(1)
    queue.sync {}
    #expect(log.entries == ["lower 1"])

    upper.resume()
    upper.sync {}
    #expect(log.entries == ["lower 1", "upper 1"])
  }

  @Test func `18. All wrappers of the main queue are one place`() async {
    let emitters = (0..<2).map { _ in EmitterArg<Int>() }
    // On Linux each access makes another object.
    for emitter in emitters { emitter.signal.connect(on: .main) { [log] in log.add("\($0)") } }
    emitters[0].signal.connect { @MainActor [log] in log.add("actor \($0)") }

    let hold = Place.main.hold(queue)
    for number in 0..<3 { emitters[number % 2].invoke(number) }
    hold.open()

    #expect(await log.entries(5) == ["0", "actor 0", "1", "2", "actor 2"])
  }

  @Test(arguments: [
    DispatchQoS.QoSClass.background, .utility, .default, .userInitiated, .userInteractive,
  ])
  func `18. On a global queue every slot is a place of its own`(
    _ quality: DispatchQoS.QoSClass
  ) async {
    let emitter = EmitterArg<Int>()
    let (hold, trace) = (Gate(), Trace<Int>())
    let blocked = emitter.signal.connect(on: .global(qos: quality)) { _ in hold.pass() }
    emitter.signal.connect(on: .global(qos: quality)) { trace.add($0) }

    for number in 0..<1000 { emitter.invoke(number) }

    #expect(await trace.entries(1000) == Array(0..<1000))
    blocked.cancel()
    hold.open()
  }

  @Test func `18. An asynchronous slot is a place of its own`() async {
    let emitter = EmitterArg<Int>()
    let (hold, trace) = (AsyncStream<Void>.makeStream(), Trace<Int>())
    let blocked = emitter.signal.connect { (_: Int) async in
      for await _ in hold.stream {}
    }
    emitter.signal.connect { (number: Int) async in trace.add(number) }

    for number in 0..<300 { emitter.invoke(number) }

    #expect(await trace.entries(300) == Array(0..<300))
    blocked.cancel()
    hold.continuation.finish()
  }

  // MARK: - The other guarantees, in a place that is shared

  @Test(arguments: places)
  func `4. What waits for a cancelled slot is released at once, and the rest keeps its order`(
    _ place: Place
  ) async {
    let (census, emitters) = (Census(), (0..<2).map { _ in EmitterArg<Numbered>() })
    let (cancelled, kept) = (Calls(), Trace<Int>())
    let observers = emitters.map { emitter in
      place.connect(emitter.signal, queue) { _ in cancelled.add() }
    }
    for emitter in emitters { place.connect(emitter.signal, queue) { kept.add($0.number) } }

    let hold = place.hold(queue)
    for number in 0..<1000 {
      emitters[number % 2].invoke(Numbered(number, number % 2 == 0 ? census.member() : nil))
    }
    #expect(census.alive == 500)
    observers[0].cancel()
    // The other slot of the signal has copies of its own.
    #expect(census.alive == 500)
    emitters[0].cancelAllObservers()
    #expect(census.alive == 0)
    observers[1].cancel()
    emitters[1].invoke(Numbered(1000, nil))
    hold.open()

    let odd = (0..<1000).filter { $0 % 2 == 1 }
    #expect(await kept.entries(501) == odd + [1000])
    #expect(cancelled.count == 0)
  }

  @Test func `4. Cancelling waits for no drain, and releases what the drain has taken, too`() {
    let (census, emitter, other) = (Census(), EmitterArg<Lifetime>(), EmitterVoid())
    let (entered, hold) = (Gate(), Gate())
    other.signal.connect(on: queue) {
      entered.open()
      hold.pass()
    }
    let observer = emitter.signal.connect(on: queue) { [log] _ in log.add("called") }
    queue.suspend()
    other.invoke()
    for _ in 0..<1000 { emitter.invoke(census.member()) }
    queue.resume()
    entered.pass()

    // The drain is inside of the other slot.
    observer.cancel()
    #expect(census.alive == 0)

    hold.open()
    queue.sync {}
    #expect(log.entries == [])
  }

  @Test(arguments: places)
  func `8. The next emission releases what waits for a dead target`(_ place: Place) async {
    let (census, emitter) = (Census(), EmitterArg<Lifetime>())
    var target: Target? = Target("target", log)
    let observer: SignalObserver? = target.map { target in
      switch place {
      case .main: emitter.signal.connect(target) { @MainActor target, _ in target.called() }
      case .actor: emitter.signal.connect(target) { @Studio target, _ in target.called() }
      default: emitter.signal.connect(target, on: queue) { target, _ in target.called() }
      }
    }
    let hold = place.hold(queue)
    for _ in 0..<300 { emitter.invoke(census.member()) }
    #expect(census.alive == 300)

    target = nil
    emitter.invoke(census.member())

    #expect(census.alive == 0)
    #expect(observer?.isCancelled == true)
    hold.open()
  }

  @Test func `9. Captures are released when cancel returns, though a drain is to call the slot`() {
    let (census, blocker, silent) = (Census(), EmitterVoid(), EmitterVoid())
    let hold = holdDrain(of: blocker)
    let (taken, idle) = (connect(blocker, census), connect(silent, census))
    // The drain takes both turns of the emission.
    queue.suspend()
    blocker.invoke()
    queue.resume()
    hold.entered.pass()

    idle.cancel()
    #expect(census.alive == 1)
    taken.cancel()
    #expect(census.alive == 0)

    hold.gate.open()
    queue.sync {}
    // Their deaths would end the connections.
    withExtendedLifetime((blocker, silent)) {}
  }

  @Test func `9. Captures of a slot that waits behind a drain are released when cancel returns`() {
    let (census, blocker, later) = (Census(), EmitterVoid(), EmitterVoid())
    let hold = holdDrain(of: blocker)
    let waiting = connect(later, census)
    blocker.invoke()
    hold.entered.pass()
    later.invoke()

    waiting.cancel()

    #expect(census.alive == 0)
    hold.gate.open()
    queue.sync {}
    #expect(census.alive == 0)
    withExtendedLifetime((blocker, later)) {}
  }

  private func connect(_ emitter: EmitterVoid, _ census: Census) -> SignalObserver {
    let capture = census.member()
    return emitter.signal.connect(on: queue) { capture.use() }
  }

  /// Connects a slot on the queue that says when it is entered, and does not return until the gate is opened.
  private func holdDrain(of emitter: EmitterVoid) -> (entered: Gate, gate: Gate) {
    let (entered, gate) = (Gate(), Gate())
    emitter.signal.connect(on: queue) {
      entered.open()
      gate.pass()
    }
    return (entered, gate)
  }

  @Test(arguments: places)
  func `10. What waits in a shared place is delivered when the emitters have died`(
    _ place: Place
  ) async {
    let trace = Trace<Int>()
    var emitters = (0..<3).map { _ in EmitterArg<Int>() }
    let observers = emitters.map { emitter in
      place.connect(emitter.signal, queue) { trace.add($0) }
    }
    let hold = place.hold(queue)
    for number in 0..<600 { emitters[number % 3].invoke(number) }
    emitters = []
    #expect(observers.allSatisfy { !$0.isCancelled })
    hold.open()

    #expect(await trace.entries(600) == Array(0..<600))
    await until("the connections end") { observers.allSatisfy(\.isCancelled) }
  }

  @Test(arguments: places)
  func `11. A suspended slot does not hold up the others of its place`(_ place: Place) async {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let (dropped, trace) = (Trace<Int>(), Trace<Int>())
    let observer = place.connect(first.signal, queue) { dropped.add($0) }
    place.connect(second.signal, queue) { trace.add($0) }

    let hold = place.hold(queue)
    for number in 0..<300 { (number % 2 == 0 ? first : second).invoke(number) }
    observer.suspend()
    hold.open()

    #expect(await trace.entries(150) == (0..<300).filter { $0 % 2 == 1 })
    #expect(dropped.entries == [])
    observer.resume()
    first.invoke(300)
    #expect(await dropped.entries(1) == [300])
  }

  @Test
  func
    `14. After 128 deliveries of a place other work has its turn, and nothing overtakes meanwhile`()
  {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let trace = Trace<Int>()
    for emitter in [first, second] { emitter.signal.connect(on: queue) { trace.add($0) } }
    queue.suspend()
    for number in 0..<1000 { (number % 2 == 0 ? first : second).invoke(number) }
    let seen = Box<Int>()
    queue.async {
      seen.value = trace.entries.count
      second.invoke(1000)
    }
    queue.resume()
    for _ in 0..<20 { queue.sync {} }

    #expect(seen.value == 128)
    #expect(trace.entries == Array(0...1000))
  }

  // MARK: - What runs at once

  @MainActor @Test
  func `13. What an inner emission off main delivers for the outer one counts as emitted there`()
    async
  {
    let (progressed, finished) = (EmitterArg<Int>(), EmitterVoid())
    let observer = progressed.signal.connect(on: .inline) { number in
      if number == 1 { progressed.invoke(2) }
    }
    progressed.signal.connect { @MainActor [log] number in log.add("progressed \(number)") }
    finished.signal.connect { @MainActor [log] in log.add("finished") }

    RunningThread { progressed.invoke(1) }.join()
    finished.invoke()

    #expect(log.entries.isEmpty)
    #expect(await log.entries(3) == ["progressed 1", "progressed 2", "finished"])
    observer.cancel()
  }

  @MainActor @Test
  func `13. A slot with an explicit queue does not keep others of the place from running`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    first.signal.connect(on: .main) { [log] in log.add("explicit \($0)") }
    second.signal.connect { [log] in log.add("at once \($0)") }

    first.invoke(1)
    second.invoke(2)

    #expect(log.entries == ["at once 2"])
    first.cancelAllObservers()
  }

  @MainActor
  @Test
  func `13. What waits for another slot of the place, and was emitted there, is not overtaken`()
    async
  {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    first.signal.connect { [log] in log.add("first \($0)") }
    second.signal.connect { [log] in log.add("second \($0)") }
    RunningThread { first.invoke(1) }.join()

    // It waits behind what waits for the slot, and the other slot's payload waits behind it.
    first.invoke(2)
    second.invoke(3)
    #expect(log.entries == [])

    #expect(await log.entries(3) == ["first 1", "first 2", "second 3"])
    second.invoke(4)
    #expect(log.entries.last == "second 4")
  }

  @MainActor
  @Test
  func
    `13. What runs at once may overtake what another thread sent, and not where the queue is explicit`()
    async
  {
    let (progressed, finished) = (EmitterArg<Int>(), EmitterArg<String>())
    progressed.signal.connect { [log] in log.add("\($0)") }
    finished.signal.connect { [log] in log.add("\($0) at once") }
    finished.signal.connect(on: .main) { [log] in log.add("\($0) in order") }
    RunningThread { for number in 0..<2 { progressed.invoke(number) } }.join()

    await MainActor.run { finished.invoke("finished") }

    let entries = await log.entries(4)
    #expect(entries.filter { $0 != "finished at once" } == ["0", "1", "finished in order"])
  }

  @Test func `13. A helper that is on no actor is followed by what the actor itself emits`() async {
    let desk = Desk(log)
    await desk.connect()

    await desk.emit()

    #expect(await log.entries(3) == ["1", "2", "3"])
  }
}

/// Emits from a function that does not know where it is, and then from one that does.
private actor Desk {
  private let emitter = EmitterArg<Int>()
  private let log: Log

  init(_ log: Log) { self.log = log }

  func connect() { emitter.signal.connect { self.note($0) } }

  private func note(_ number: Int) { log.add("\(number)") }

  func emit() {
    helper(emitter, 1)
    emitter.invoke(2)
    helper(emitter, 3)
  }
}

private func helper(_ emitter: EmitterArg<Int>, _ number: Int) { emitter.invoke(number) }

@MainActor private final class Window {
  private let log: Log
  private var count = 0

  init(_ log: Log) { self.log = log }

  func progress(_ number: Int) { count += 1 }
  func finish() { log.add("finished after \(count)") }
}

private struct Numbered: Sendable {
  let number: Int
  let counted: Lifetime?

  init(_ number: Int, _ counted: Lifetime?) { (self.number, self.counted) = (number, counted) }
}

/// How many calls are in progress.
private final class InProgress: Sendable {
  private let count = Atomic<Int>(0)

  func begin() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
  func end() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
