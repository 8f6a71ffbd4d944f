import Dispatch
import Testing

@testable import SignalObserver
@testable import SignalObserverTesting

/// What several threads use at once, outside the kernel.
///
/// ThreadSanitizer finds what has no lock.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct SharedStateTests {
  @Test func `a connection that is ended while it is made has ended`() {
    let emitter = EmitterVoid()
    for _ in 0..<20 {
      let (end, observer) = (ConnectionEnd(), emitter.signal.connect(on: .inline) {})
      onThreads(3) { thread in
        switch thread {
        case 0: _ = end.ends(observer)
        case 1: end.end()
        default: while !end.isEnded {}
        }
      }
      #expect(observer.isCancelled)
    }
  }

  @Test func `a bag that threads fill cancels all of it`() {
    let (emitter, bag) = (EmitterVoid(), ObserverBag())
    onThreads(2) { _ in
      for index in 0..<200 {
        let observer = emitter.signal.connect(on: .inline) {}
        observer.store(in: bag)
        if !index.isMultiple(of: 3) { observer.cancel() }
      }
    }
    bag.cancelAll()
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `threads connect the methods of many actors`() async {
    let (emitter, actors) = (EmitterArg<Int>(), (0..<200).map { _ in Account() })
    onThreads(2) { thread in
      for actor in actors { emitter.signal.connect(actor, Account.add) }
    }
    await emitter.invokeAndWait(1)
    for actor in actors { #expect(await actor.sum == 2) }
  }

  @Test func `jobs that threads add and end are all waited for`() async {
    let (jobs, log) = (Countdown(), Log())
    jobs.add()
    let waiting = Task {
      await jobs.wait(isolation: nil)
      log.add("waited")
    }
    await onThread {
      onThreads(2) { _ in
        for _ in 0..<500 { jobs.add() }
        for _ in 0..<500 { jobs.done() }
      }
      log.add("done")
    }
    jobs.done()
    await waiting.value
    #expect(log.entries == ["done", "waited"])
  }

  @Test func `a payload that another thread sends ends the wait`() async {
    let emitter = EmitterArg<Int>()
    for _ in 0..<20 {
      let ended = Gate()
      let payload = await emitter.signal.next(timeout: .seconds(60)) {
        _ = RunningThread {
          for value in 0..<200 { emitter.invoke(value) }
          ended.open()
        }
      }
      #expect(payload == 0)
      await onThread { ended.pass() }
    }
  }

  @Test func `a trace has what all threads send`() {
    let (emitter, queue) = (EmitterArg<Int>(), DispatchQueue(label: "trace"))
    emitter.signal.connect(on: .inline) { _ in }
    emitter.signal.connect(on: queue) { _ in }
    let trace = SignalTrace(of: emitter.signal) {
      onThreads(2) { _ in
        for value in 0..<100 { emitter.invoke(value) }
      }
      queue.sync {}
    }
    #expect(trace.emissions.count == 200)
    #expect(trace.emissions.allSatisfy { $0.deliveries.count == 2 })
    #expect(trace.emissions.allSatisfy { $0.deliveries.first?.outcome == .atOnce })
  }

  @Test func `a signal is traced while it sends`() {
    let (emitter, queue) = (EmitterArg<Int>(), DispatchQueue(label: "trace"))
    let (isDone, isLast) = (Box(false), Gate())
    emitter.signal.connect(on: queue) { if $0 == 1999 { isLast.open() } }
    onThreads(2) { thread in
      if thread == 0 {
        for value in 0..<2000 { emitter.invoke(value) }
        isDone.value = true
      } else {
        while isDone.value == false { _ = SignalTrace(of: emitter.signal) {} }
      }
    }
    isLast.pass()
    #expect(emitter.signal.slotCount == 1)
  }

  // MARK: - The test kit

  @Test func `of results that threads set, one counts`() async throws {
    for _ in 0..<50 {
      let result = OneShot<Int>()
      async let awaited = result.value
      await onThread { onThreads(2) { result.resolve(.success($0)) } }
      #expect(try await result.value == awaited)
    }
  }

  @Test func `tasks sleep while a thread moves the clock`() async throws {
    let (clock, isDone) = (ManualClock(), Box(false))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<50 { try await clock.sleep(for: .nanoseconds(3)) }
        }
      }
      // Before the clock moves: the sleeps could otherwise be over before this begins to wait.
      await clock.waitForSleepers(2)
      let mover = RunningThread {
        while isDone.value == false {
          let before = clock.now
          clock.advance(by: .nanoseconds(1))
          #expect(clock.now > before)
          #expect(clock.sleeperCount <= 2)
        }
      }
      try await group.waitForAll()
      isDone.value = true
      await onThread { mover.join() }
    }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `sleeps that are cancelled are forgotten while the clock moves`() async {
    let clock = ManualClock()
    for _ in 0..<50 {
      let sleep = Task { try? await clock.sleep(for: .seconds(1)) }
      await clock.waitForSleepers(1)
      await onThread {
        onThreads(2) { if $0 == 0 { sleep.cancel() } else { clock.advance(by: .nanoseconds(1)) } }
      }
      await sleep.value
    }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a spy loses nothing that threads send while another takes`() async {
    let emitter = EmitterArg<Int>()
    let (spy, taken) = (SignalSpy(emitter.signal), Trace<Int>())
    await onThread {
      onThreads(4) { thread in
        for value in 0..<200 {
          switch thread {
          case 0, 1: emitter.invoke(value)
          case 2: for payload in spy.take() { taken.add(payload) }
          default: #expect(spy.payloads.count <= 400)
          }
        }
      }
    }
    #expect((taken.entries + spy.take()).sorted() == (0..<200).flatMap { [$0, $0] })
  }

  @Test func `a spy is awaited while threads send`() async throws {
    let emitter = EmitterArg<Int>()
    let spy = SignalSpy(emitter.signal)
    for _ in 0..<20 {
      let sender = RunningThread { for value in 0..<20 { emitter.invoke(value) } }
      for value in 0..<20 { #expect(try await spy.next(timeout: .seconds(60)) == value) }
      await onThread { sender.join() }
    }
  }
}

private actor Account {
  var sum = 0

  func add(_ number: Int) async { sum += number }
}
