import SignalObserver
import SignalObserverTesting
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ManualClockTests {
  let clock = ManualClock()

  @Test func `it stands still until it is moved`() {
    let start = clock.now
    clock.advance(by: .seconds(2))

    #expect(start.offset == .zero)
    #expect(start.duration(to: clock.now) == .seconds(2))
    let later = clock.now
    clock.advance(by: .seconds(3))
    #expect(later.duration(to: clock.now) == .seconds(3))
  }

  @Test func `a sleeper is woken when its deadline is reached, and not before`() async throws {
    let woken = EmitterVoid()
    let spy = SignalSpy(woken.signal)
    let task = Task { [clock] in
      try await clock.sleep(for: .seconds(2))
      woken.invoke()
    }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    #expect(clock.sleeperCount == 0)

    try await task.value
    #expect(spy.payloads.count == 1)
  }

  @Test func `a deadline that is past needs no sleep`() async throws {
    let deadline = clock.now.advanced(by: .seconds(1))
    clock.advance(by: .seconds(1))

    try await clock.sleep(until: deadline)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `cancelling a sleeper wakes it with an error`() async {
    let task = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers(1)
    task.cancel()
    #expect(clock.sleeperCount == 0)

    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a task that is cancelled already does not sleep`() async {
    let task = Task { [clock] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }

    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @MainActor @Test func `a task that is cancelled already is not counted`() async throws {
    let counting = Task.immediate { [clock] in
      await clock.waitForSleepers(1)
      return clock.sleeperCount
    }
    let deadline = clock.now.advanced(by: .seconds(1))
    let cancelled = Task.immediate { [clock] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await clock.sleep(until: deadline)
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    // If it had counted, the count would have its turn now.
    await Task { @MainActor in }.value
    let sleeper = Task.immediate { [clock] in try await clock.sleep(until: deadline) }

    #expect(await counting.value == 1)
    clock.advance(by: .seconds(1))
    try await sleeper.value
  }

  @Test func `next gives up when the clock reaches its timeout`() async {
    let emitter = EmitterArg<Int>()
    async let payload = emitter.signal.next(timeout: .seconds(5), clock: clock)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))

    #expect(await payload == nil)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `next returns a payload that is sent in time, and releases the timer`() async {
    let emitter = EmitterArg<Int>()
    let payload = Task { [clock] in
      await emitter.signal.next(timeout: .seconds(5), clock: clock)
    }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(4))
    emitter.invoke(1)

    #expect(await payload.value == 1)
    #expect(emitter.signal.slotCount == 0)
    // A cancelled sleeper ends in a task of its own.
    await until("the end of the sleep") { clock.sleeperCount == 0 }
  }

  @Test func `sleepers are woken in the order of their deadlines`() async throws {
    let order = SignalSpy<Int>()
    let tasks = [3, 1, 2].map { number in
      Task { [clock] in
        try await clock.sleep(for: .seconds(number))
        order.record(number)
      }
    }
    await clock.waitForSleepers(3)
    for number in 1...3 {
      clock.advance(by: .seconds(1))
      #expect(try await order.next(timeout: .seconds(60)) == number)
    }
    for task in tasks { try await task.value }
  }

  @Test func `of sleepers with equal deadlines, the first is woken first`() {
    // These numbers are the same in every run.
    var state: UInt64 = 1
    func random(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let (start, jobs, woken) = (clock.now, Jobs(), SignalSpy<Int>())
    var sleepers: [(number: Int, seconds: Int, task: Task<Void, any Error>)] = []
    for number in 0..<1_000 {
      let seconds = random(below: 4) + 1
      let task = Task(executorPreference: jobs) { [clock] in
        try await clock.sleep(until: start.advanced(by: .seconds(seconds)))
        woken.record(number)
      }
      jobs.run()
      sleepers.append((number, seconds, task))
      if random(below: 2) == 0 {
        sleepers.remove(at: random(below: sleepers.count)).task.cancel()
      }
      #expect(clock.sleeperCount == sleepers.count)
    }

    for seconds in [2, 4] {
      clock.advance(by: .seconds(2))
      let due = sleepers.filter { $0.seconds <= seconds }
      sleepers.removeAll { $0.seconds <= seconds }
      // It no longer sleeps, so this takes away no other.
      due.first?.task.cancel()
      #expect(clock.sleeperCount == sleepers.count)
      jobs.run()
      let order = due.sorted { ($0.seconds, $0.number) < ($1.seconds, $1.number) }
      #expect(woken.take() == order.map(\.number))
      for index in sleepers.indices.reversed() where random(below: 4) == 0 {
        sleepers.remove(at: index).task.cancel()
      }
      #expect(clock.sleeperCount == sleepers.count)
    }
  }

  @MainActor @Test func `who waits for sleepers counts none that were woken`() async throws {
    func sleeper() -> Task<Void, any Error> {
      // Not `sleep(for:)`, which begins on another thread.
      let deadline = clock.now.advanced(by: .seconds(1))
      return Task.immediate { [clock] in try await clock.sleep(until: deadline) }
    }
    let early = sleeper()
    clock.advance(by: .seconds(1))
    try await early.value

    let counting = Task.immediate { [clock] in
      await clock.waitForSleepers(2)
      return clock.sleeperCount
    }
    let first = sleeper()
    // If one were enough, the count would have its turn now.
    await Task { @MainActor in }.value
    let second = sleeper()

    #expect(await counting.value == 2)
    clock.advance(by: .seconds(1))
    for task in [first, second] { try await task.value }
  }

  @MainActor @Test func `a cancelled wait for sleepers leaves nothing in the clock`() async {
    let waiting = Task.immediate { [clock] in await clock.waitForSleepers(1) }
    #expect(clock.watcherCount == 1)
    waiting.cancel()
    await waiting.value

    #expect(clock.watcherCount == 0)
  }

  @Test func `next prefers a payload that was sent before its timeout`() async {
    for _ in 0..<200 {
      let emitter = EmitterArg<Int>()
      let clock = ManualClock()
      async let payload = emitter.signal.next(timeout: .seconds(5), clock: clock)
      await clock.waitForSleepers(1)
      emitter.invoke(1)
      clock.advance(by: .seconds(5))

      #expect(await payload == 1)
    }
  }

  @Test func `a cancelled task does not sleep, not even for no time`() async {
    let task = Task { [clock] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await clock.sleep(for: .zero) }
    }
    await task.value
  }
}

/// Runs tasks on the calling thread, in the order in which they were made or woken.
private final class Jobs: TaskExecutor {
  private let jobs = Lock<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the tasks until all of them wait.
  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      // Each job is run once, on the executor that it was given to.
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
