import Dispatch
import SignalObserver
import Synchronization
import Testing

@globalActor actor Studio {
  static let shared = Studio()
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct DeliveryTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  @MainActor
  @Test
  func
    `13. Main slots run at once when the emission is already there and nothing is pending for the slot`()
  {
    let target = Target("method", log)
    emitter.signal.connect { [log] in log.add("closure \($0)") }
    emitter.signal.connect(target, Target.show)
    emitter.signal.connect(target) { target, value in target.log.add("target \(value)") }

    emitter.invoke(1)

    #expect(log.entries == ["closure 1", "method 1", "target 1"])
  }

  @MainActor
  @Test
  func `13. Main slots run later when the emission is elsewhere, in order when it is there again`()
    async
  {
    emitter.signal.connect { [log] in log.add("\($0)") }
    RunningThread { [emitter] in emitter.invoke(1) }.join()
    #expect(log.entries == [])

    emitter.invoke(2)
    #expect(log.entries == [])

    #expect(await log.entries(2) == ["1", "2"])
    emitter.invoke(3)
    #expect(log.entries == ["1", "2", "3"])
  }

  @Test func `13. A main slot runs at once for an emission on the main queue that is on no actor`()
  {
    emitter.signal.connect { [log] in log.add("\($0)") }

    DispatchQueue.main.sync {
      emitter.invoke(1)
      log.add("returned")
    }

    #expect(log.entries == ["1", "returned"])
  }

  @Test func `13. Isolated slots run at once on their actor, and later otherwise`() async {
    let player = Player(emitter)
    await player.connect(log)
    await player.play(log)
    #expect(log.entries == ["own 1", "given 1", "returned"])

    emitter.invoke(2)

    #expect(await log.entries(5).dropFirst(3).sorted() == ["given 2", "own 2"])
    emitter.cancelAllObservers()
  }

  @Test func `13. A slot of a global actor runs at once there, and later otherwise`() async {
    let target = StudioTarget(log)
    emitter.signal.connect(target, StudioTarget.show)
    await Self.playInStudio(emitter, log)
    #expect(log.entries == ["studio 1", "returned"])

    emitter.invoke(2)

    #expect(await log.entries(3).last == "studio 2")
    withExtendedLifetime(target) {}
  }

  @Studio private static func playInStudio(_ emitter: EmitterArg<Int>, _ log: Log) {
    emitter.invoke(1)
    log.add("returned")
  }

  @MainActor
  @Test func `13. A slot that emits from a drain on the main queue keeps the order`() async {
    defer { emitter.cancelAllObservers() }
    emitter.signal.connect { [emitter, log] value in
      log.add("begin \(value)")
      if value < 10 { emitter.invoke(value + 10) }
      log.add("end \(value)")
    }
    RunningThread { [emitter] in for value in 1...2 { emitter.invoke(value) } }.join()

    let begun = await log.entries(8).filter { $0.hasPrefix("begin") }

    #expect(begun == ["begin 1", "begin 2", "begin 11", "begin 12"])
  }

  @Test func `13. A slot with an explicit queue always runs later`() {
    let queue = DispatchQueue(label: "delivery")
    emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }

    queue.sync {
      emitter.invoke(1)
      log.add("returned")
    }
    queue.sync {}

    #expect(log.entries == ["returned", "1"])
  }

  @MainActor
  @Test func `13. A slot with the main queue as its explicit queue runs later on it, too`() async {
    emitter.signal.connect(on: .main) { [log] in log.add("\($0)") }

    emitter.invoke(1)
    log.add("returned")

    #expect(await log.entries(2) == ["returned", "1"])
  }

  @Test func `13. An inline slot never runs later`() {
    let queue = DispatchQueue(label: "delivery")
    let key = DispatchSpecificKey<String>()
    queue.setSpecific(key: key, value: "emitting queue")
    emitter.signal.connect(on: .inline) { [log] _ in
      log.add(DispatchQueue.getSpecific(key: key) ?? "elsewhere")
    }

    queue.sync {
      emitter.invoke(1)
      log.add("returned")
    }

    #expect(log.entries == ["emitting queue", "returned"])
  }

  @Test func `14. A queue slot delivers every emission, in order`() {
    let queue = DispatchQueue(label: "delivery")
    let done = Gate()
    let count = times(100_000)
    let received = Mutex<[Int]>([])
    emitter.signal.connect(on: queue) { value in
      received.withLock { $0.append(value) }
      if value == count - 1 { done.open() }
    }

    for value in 0..<count { emitter.invoke(value) }
    done.pass()

    #expect(received.withLock { $0 } == Array(0..<count))
  }

  @Test
  func `14. In a flood on one slot, other work of that queue has its turn after 128 deliveries`() {
    defer { emitter.cancelAllObservers() }
    let queue = DispatchQueue(label: "delivery")
    let hold = Gate()
    queue.async { hold.pass() }
    let flooded = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    // Each delivery makes the next, so the flood never ends by itself.
    emitter.signal.connect(on: queue) { [emitter] _ in
      flooded.add(1, ordering: .relaxed)
      if !isOver.load(ordering: .relaxed) { emitter.invoke(1) }
    }
    for value in 0..<10_000 { emitter.invoke(value) }

    queue.async { [log] in log.add("\(flooded.load(ordering: .relaxed))") }
    hold.open()
    queue.sync { isOver.store(true, ordering: .relaxed) }

    #expect(log.entries == ["128"])
  }

  @Test func `14. What is emitted to a drained queue precedes the next work of the queue`() {
    let queue = DispatchQueue(label: "delivery")
    let calls = Atomic<Int>(0)
    emitter.signal.connect(on: queue) { _ in calls.add(1, ordering: .relaxed) }
    var late: [Int] = []
    for round in 1...times(5000) {
      // As many as let a drain wait for more.
      for value in 1...8 { emitter.invoke(value) }
      // In other rounds, the drain may be on its way, in progress or over.
      if round.isMultiple(of: 2) { queue.sync {} }

      emitter.invoke(9)
      queue.sync {}

      if calls.load(ordering: .relaxed) < 9 * round { late.append(round) }
    }

    #expect(late == [])
  }

  @Test(arguments: [(128, 1), (100, 29), (100, 128)])
  func `14. In a flood, what is emitted to a queue precedes its next work`(
    first: Int, next: Int
  ) {
    let queue = DispatchQueue(label: "delivery")
    let (reached, hold) = (Gate(), Gate())
    emitter.signal.connect(on: queue) { [log] value in
      log.add("\(value)")
      if value == first {
        reached.open()
        hold.pass()
      }
    }
    queue.suspend()
    for value in 1...first { emitter.invoke(value) }
    queue.resume()
    reached.pass()

    // During the last call of a drain that leaves nothing.
    for value in first + 1...first + next { emitter.invoke(value) }
    queue.async { [log] in log.add("work") }
    hold.open()
    queue.sync {}

    #expect(log.entries == (1...first + next).map { "\($0)" } + ["work"])
  }

  @Test func `14. Two slots that share a queue take turns`() {
    let queue = DispatchQueue(label: "delivery")
    let hold = Gate()
    queue.async { hold.pass() }
    for name in ["a", "b"] {
      emitter.signal.connect(on: queue) { [log] _ in log.add(name) }
    }
    for value in 0..<1000 { emitter.invoke(value) }
    hold.open()
    for _ in 0..<20 { queue.sync {} }

    #expect(log.entries == (0..<1000).flatMap { _ in ["a", "b"] })
  }

  @Test func `14. In a flood on the main queue, other work has its turn after 128 deliveries`()
    async
  {
    let hold = Gate()
    DispatchQueue.main.async { hold.pass() }
    let count = Atomic<Int>(0)
    emitter.signal.connect { _ in count.add(1, ordering: .relaxed) }
    for value in 0..<1000 { emitter.invoke(value) }

    DispatchQueue.main.async { [log] in log.add("\(count.load(ordering: .relaxed))") }
    hold.open()

    #expect(await log.entries(1) == ["128"])
  }
}

private actor Player {
  let changed: EmitterArg<Int>

  init(_ changed: EmitterArg<Int>) { self.changed = changed }

  func connect(_ log: Log) {
    // A closure is on the actor if it uses it.
    changed.signal.connect { self.add("own \($0)", to: log) }
    changed.signal.connect(self) { _, value in log.add("given \(value)") }
  }

  private func add(_ entry: String, to log: Log) { log.add(entry) }

  func play(_ log: Log) {
    changed.invoke(1)
    log.add("returned")
  }
}

@Studio
private final class StudioTarget {
  let log: Log

  nonisolated init(_ log: Log) { self.log = log }

  func show(_ value: Int) { log.add("studio \(value)") }
}
