import Dispatch
import SignalObserver
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ThreadsTests {
  @Test
  func
    `6. Threads may emit at once: nothing is lost or doubled, each thread's emissions keep their order in every slot`()
    async
  {
    let emitter = EmitterArg2<Int, Int>()
    let queue = DispatchQueue(label: "threads")
    let logs = (0..<4).map { _ in Guarded<[[Int]]>([[], [], [], []]) }
    for (log, queue) in zip(logs, [nil, nil, queue, queue]) {
      emitter.signal.connect(log, on: queue) { log, thread, value in
        log.change { $0[thread].append(value) }
      }
    }

    onThreads(4) { thread in
      for value in 0..<1000 { emitter.invoke(thread, value) }
    }
    await until("all payloads") { logs.allSatisfy { $0.value.joined().count == 4000 } }

    let expected = Array(repeating: Array(0..<1000), count: 4)
    for log in logs { #expect(log.value == expected) }
  }

  @Test func `6. Inline slots may overlap`() {
    let (emitter, log) = (EmitterVoid(), Log())
    let (arrived, leave) = (Gate(), Gate())
    emitter.signal.connect(on: .inline) {
      log.add("begin")
      arrived.open()
      leave.pass()
      log.add("end")
    }

    let threads = (0..<2).map { _ in RunningThread { emitter.invoke() } }
    arrived.pass()
    arrived.pass()
    for _ in threads { leave.open() }
    for thread in threads { thread.join() }

    #expect(log.entries == ["begin", "begin", "end", "end"])
  }

  @Test func `6. A queue slot never overlaps with itself, on a concurrent queue either`() {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "threads", attributes: .concurrent)
    let overlap = Overlap()
    let (entered, leave, done) = (Gate(), Gate(), Gate())
    emitter.signal.connect(on: queue) { value in
      overlap.during {
        if value == 0 {
          entered.open()
          leave.pass()
        }
      }
      if value == 1000 { done.open() }
    }

    emitter.invoke(0)
    entered.pass()
    onThreads(2) { _ in
      for value in 1...1000 { emitter.invoke(value) }
    }
    // A second drain would have begun by now: the queue begins its work in order.
    for _ in 0..<3 { queue.sync {} }
    #expect(overlap.calls == 1)
    leave.open()
    done.pass()
    done.pass()

    #expect(overlap.calls == 2001)
    #expect(overlap.most == 1)
  }

  @Test func `6. A slot on a concurrent queue sees each thread's emissions in order`() {
    let emitter = EmitterArg2<Int, Int>()
    let queue = DispatchQueue(label: "threads", attributes: .concurrent)
    let log = Guarded<[[Int]]>([[], []])
    let done = Gate()
    emitter.signal.connect(log, on: queue) { log, thread, value in
      log.change { $0[thread].append(value) }
      if value == 499 { done.open() }
    }

    onThreads(2) { thread in
      for value in 0..<500 { emitter.invoke(thread, value) }
    }
    done.pass()
    done.pass()

    #expect(log.value == Array(repeating: Array(0..<500), count: 2))
  }

  @Test func `6. An isolated slot never overlaps with itself`() async {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    let overlap = Overlap()
    emitter.signal.connect(counter) { counter, value in
      overlap.during { counter.add(value) }
    }

    onThreads(2) { _ in
      for value in 1...500 { emitter.invoke(value) }
    }

    #expect(await counter.total(after: 1000) == 2 * 500 * 501 / 2)
    #expect(overlap.most == 1)
  }

  @Test func `6. An asynchronous slot handles one payload after the other`() async {
    let emitter = EmitterArg<Int>()
    let log = Log()
    emitter.signal.connect { (value: Int) async in
      log.add("begin \(value)")
      await Task.yield()
      log.add("end \(value)")
    }

    for value in 0..<20 { emitter.invoke(value) }

    #expect(await log.entries(40) == (0..<20).flatMap { ["begin \($0)", "end \($0)"] })
  }

  @Test func `6. Emitting, connecting, cancelling and suspending at once harms nothing`() {
    for _ in 0..<100 {
      let emitter = EmitterArg<Int>()
      let census = Census()
      let permanent = Overlap()
      emitter.signal.connect(on: .inline) { _ in permanent.during {} }
      onThreads(3) { thread in
        for number in 0..<30 {
          if thread == 0 { emitter.invoke(number) }
          let capture = census.member()
          let observer = emitter.signal.connect(on: .inline) { _ in capture.use() }
          observer.suspend()
          if thread == 1 { emitter.invoke(number) }
          observer.resume()
          observer.cancel()
        }
      }
      #expect(permanent.calls == 60)
      #expect(emitter.signal.slotCount == 1)
      #expect(census.alive == 0)
    }
  }
}

/// Counts calls, and how many are in progress at once.
private final class Overlap: Sendable {
  private let state = Mutex((calls: 0, inside: 0, most: 0))

  var calls: Int { state.withLock { $0.calls } }
  var most: Int { state.withLock { $0.most } }

  func during(_ body: () -> Void) {
    state.withLock {
      $0.calls += 1
      $0.inside += 1
      $0.most = max($0.most, $0.inside)
    }
    body()
    state.withLock { $0.inside -= 1 }
  }
}

/// A target that guards a value.
private final class Guarded<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value { state.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) {
    state.withLock { value in body(&value) }
  }
}

private actor Counter {
  private var total = 0
  private var count = 0
  private var waiting: (count: Int, continuation: CheckedContinuation<Int, Never>)?

  func add(_ value: Int) {
    total += value
    count += 1
    if let waiting, waiting.count == count { waiting.continuation.resume(returning: total) }
  }

  func total(after calls: Int) async -> Int {
    if count >= calls { return total }
    return await withCheckedContinuation { waiting = (calls, $0) }
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct ThreadCaseTests {
  let log = Log()
  let made = Made.current

  @Test func `T1 ten threads that emit ten thousand times each make a hundred thousand calls`() {
    let emitter = made.emitter(Int.self)
    let sum = Atomic<Int>(0)
    emitter.signal.connect(on: .inline) { sum.add($0, ordering: .relaxed) }

    let count = times(10_000)
    onThreads(10) { _ in
      for _ in 0..<count { emitter.invoke(1) }
    }

    #expect(sum.load(ordering: .relaxed) == 10 * count)
  }

  @Test func `T5 thirty-two threads that are the first to connect make thirty-two connections`() {
    for _ in 0..<100 {
      let emitter = made.emitter(Int.self)
      let calls = (0..<32).map { _ in Calls() }
      onThreads(32) { index in
        let own = calls[index]
        emitter.signal.connect(on: .inline) { _ in own.add() }
      }
      #expect(emitter.signal.slotCount == 32)

      emitter.invoke(1)

      #expect(calls.map(\.count) == Array(repeating: 1, count: 32))
    }
  }

  @Test(arguments: [Place.inline, .queue])
  func `T7 a target that is released while threads emit is not called once its deinit has begun`(
    place: Place
  ) {
    let queue = place == .queue ? DispatchQueue(label: "cases") : nil
    let wrong = Calls()
    for _ in 0..<300 {
      let emitter = made.emitter(Int.self)
      let target = Box(Mortal(wrong, made.object()))
      _ = target.value.map { emitter.signal.connect($0, Mortal.called, queue) }
      onThreads(3) { index in
        if index == 0 { return target.value = nil }
        for value in 0..<5 { emitter.invoke(value) }
      }
      queue?.sync {}
      emitter.invoke(9)
      queue?.sync {}

      #expect(emitter.signal.slotCount == 0)
    }
    #expect(wrong.count == 0)
    #expect(made.census.alive == 0)
  }

  @Test func `T11 a payload that slots on two queues hand to each other is never lost`() {
    let emitters = [made.emitter(Int.self), made.emitter(Int.self)]
    defer { for emitter in emitters { emitter.cancelAllObservers() } }
    let queues = [DispatchQueue(label: "one"), DispatchQueue(label: "other")]
    let calls = Calls()
    let done = Gate()
    let count = times(100_000)
    for index in 0..<2 {
      emitters[index].signal.connect(on: queues[index]) { value in
        calls.add()
        if value == count { done.open() } else { emitters[1 - index].invoke(value + 1) }
      }
    }

    emitters[0].invoke(1)
    done.pass()

    #expect(calls.count == count)
  }

  @Test func `an observer may be resumed while another thread cancels it`() {
    for _ in 0..<300 {
      let emitter = made.emitter(Int.self)
      let observer = emitter.signal.connect(on: DispatchQueue(label: "cases")) { _ in }

      onThreads(2) { index in
        if index == 0 { observer.cancel() } else { observer.resume() }
      }

      #expect(observer.isCancelled)
      #expect(!observer.isSuspended)
    }
  }

  @Test func `a slot may be cancelled while somebody waits for it`() async {
    for _ in 0..<300 {
      let emitter = made.emitter(Int.self)
      let observer = emitter.signal.connect(on: DispatchQueue(label: "cases")) { _ in }

      let thread = RunningThread { observer.cancel() }
      await emitter.invokeAndWait(1)
      thread.join()

      #expect(observer.isCancelled)
    }
  }

  @Test func `slots may be connected while another thread emits`() {
    for _ in 0..<300 {
      let emitter = made.emitter(Int.self)
      let calls = Calls()
      emitter.signal.connect(on: .inline) { _ in calls.add() }

      onThreads(2) { index in
        for value in 0..<20 {
          if index == 0 { emitter.signal.connect(on: .inline) { _ in calls.add() } }
          if index == 1 { emitter.invoke(value) }
        }
      }

      #expect(emitter.signal.slotCount == 21)
      #expect((20...20 * 21).contains(calls.count))
    }
  }
}

/// A target that notes a call while it is being destroyed, or after that.
private final class Mortal: Sendable {
  private let wrong: Calls
  private let alive: Lifetime
  private let isDying = Atomic<Bool>(false)

  init(_ wrong: Calls, _ alive: Lifetime) {
    self.wrong = wrong
    self.alive = alive
  }

  deinit {
    isDying.store(true, ordering: .releasing)
    for _ in 0..<10 { alive.use() }
  }

  func called(_ value: Int) {
    if isDying.load(ordering: .acquiring) { wrong.add() }
  }
}
