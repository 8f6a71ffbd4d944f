import SignalObserver
import SignalObserverTesting
import Testing

/// What operators of time send if a slot emits the source again.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class TimeOrderTests {
  let emitter = EmitterArg<Int>()
  let clock = ManualClock()

  // A slot of the emitter holds it, and who waits for the clock would do so for ever.
  deinit {
    emitter.cancelAllObservers()
    clock.advance(by: .seconds(1000))
  }

  enum Operator: CaseIterable {
    case debounce
    case throttle
    case delay
  }

  /// Connects a slot that sends a 101 for the 1, and sends the 1, which is held back.
  private func connect(_ name: Operator, _ clock: some Clock<Duration>) -> Trace<Int> {
    let trace = Trace<Int>()
    func connect(_ source: some SignalSource<Int>) {
      source.connect(on: .inline) { [emitter] in
        trace.add($0)
        if $0 == 1 { emitter.invoke(101) }
      }
    }
    switch name {
    case .debounce: connect(emitter.signal.debounce(for: .seconds(10), clock: clock))
    case .delay: connect(emitter.signal.delay(for: .seconds(10), clock: clock))
    case .throttle:
      connect(emitter.signal.throttle(for: .seconds(10), clock: clock).dropFirst())
      emitter.invoke(0)
    }
    emitter.invoke(1)
    return trace
  }

  /// Before the 1 is due, when it is due, and later, if no task has its turn.
  @Test(arguments: Operator.allCases, [9, 10, 11])
  func `an emission replaces what is due in one step`(_ name: Operator, _ second: Int) async {
    let late = LateClock(clock)
    let trace = connect(name, late)
    await late.waitForSleepers(1)
    clock.advance(by: .seconds(second))
    emitter.invoke(2)
    #expect(trace.entries == (second < 10 ? [] : [1]))

    let expected =
      switch name {
      case .delay: [1, 2, 101]
      case .debounce, .throttle: second < 10 ? [2] : [1, 101]
      }
    await until("the last payload") {
      clock.advance(by: .seconds(10))
      late.wake()
      return trace.entries.count >= expected.count
    }

    #expect(trace.entries == expected)
  }

  @Test(arguments: Operator.allCases)
  func `a task sends what is due before what its slot emits`(_ name: Operator) async {
    let trace = connect(name, clock)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    #expect(await trace.entries(1) == [1])
    await clock.waitForSleepers(1)
    emitter.invoke(2)

    let expected = name == .delay ? [1, 101, 2] : [1, 2]
    await until("the last payload") {
      clock.advance(by: .seconds(10))
      return trace.entries.count >= expected.count
    }

    #expect(trace.entries == expected)
  }

  @Test(arguments: [TaskPriority.utility, .high])
  func `the task that waits has the priority of the task that emits`(_ priority: TaskPriority) async
  {
    let trace = Trace<TaskPriority>()
    emitter.signal.delay(for: .seconds(1), clock: clock).connect(on: .inline) { _ in
      trace.add(Task.currentPriority)
    }
    // Nobody waits for this task, which would raise its priority.
    Task.detached(priority: priority) { [emitter] in emitter.invoke(1) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(1) == [priority])
  }

  @Test(arguments: Operator.allCases)
  func `a payload that waits raises the priority of the task that sends it`(_ name: Operator) async
  {
    let trace = Trace<TaskPriority>()
    func connect(_ source: some SignalSource<Int>) {
      source.connect(on: .inline) { if $0 == 2 { trace.add(Task.currentPriority) } }
    }
    switch name {
    case .debounce: connect(emitter.signal.debounce(for: .seconds(1), clock: clock))
    case .throttle: connect(emitter.signal.throttle(for: .seconds(1), clock: clock))
    case .delay: connect(emitter.signal.delay(for: .seconds(1), clock: clock))
    }
    // Nobody waits for the tasks, which would raise their priority.
    for (payloads, priority) in [([0, 1], TaskPriority.utility), ([2], .high), ([2], .low)] {
      let isSent = Gate()
      Task.detached(priority: priority) { [emitter] in
        for payload in payloads { emitter.invoke(payload) }
        isSent.open()
      }
      await onThread { isSent.pass() }
      await clock.waitForSleepers(1)
    }
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(1).first == .high)
  }

  @Test func `a task is raised if a payload arrives while an executor gets it`() async {
    await #expect(processExitsWith: .success) {
      let (emitter, clock, trace) = (EmitterArg<Int>(), ManualClock(), Trace<TaskPriority>())
      emitter.signal.delay(for: .seconds(1), clock: clock).connect(on: .inline) {
        if $0 == 2 { trace.add(Task.currentPriority) }
      }
      GlobalExecutor.takeOver()

      let emitAgain = { @Sendable in
        GlobalExecutor.$afterTask.withValue(nil) {
          let isSent = Gate()
          Task.detached(priority: .high) {
            emitter.invoke(2)
            isSent.open()
          }
          isSent.pass()
        }
      }
      await onThread { GlobalExecutor.$afterTask.withValue(emitAgain) { emitter.invoke(1) } }
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))

      await until("the payload, at its priority") { trace.entries == [.high] }
    }
  }

  @Test func `a task is cancelled if its connection ends while an executor gets it`() async {
    await #expect(processExitsWith: .success) {
      let (emitter, clock, isAsleep) = (EmitterArg<Int>(), ManualClock(), Gate())
      let observer = emitter.signal.delay(for: .seconds(1), clock: clock).traced().1
      GlobalExecutor.takeOver()
      Task {
        await clock.waitForSleepers(1)
        isAsleep.open()
      }

      let cancel = { @Sendable in
        // The cancelled task resumes, which calls the executor again.
        if observer.isCancelled { return }
        isAsleep.pass()
        observer.cancel()
      }
      await onThread { GlobalExecutor.$afterTask.withValue(cancel) { emitter.invoke(1) } }

      await until("nobody sleeps") { clock.sleeperCount == 0 }
    }
  }

  @Test func `a younger task is cancelled if an executor got it during an older one`() async {
    await #expect(processExitsWith: .success) {
      let (emitter, clock, isAsleep, isSent) = (EmitterArg<Int>(), ManualClock(), Gate(), Gate())
      let source = emitter.signal.delay(for: .seconds(1), clock: clock)
      let observer = source.connect(on: .inline) { _ in isSent.open() }
      GlobalExecutor.takeOver()
      Task {
        await clock.waitForSleepers(1)
        isAsleep.open()
      }

      let emitAgain = { @Sendable in
        isAsleep.pass()
        GlobalExecutor.$afterTask.withValue(nil) {
          clock.advance(by: .seconds(1))
          isSent.pass()
          emitter.invoke(2)
        }
      }
      await onThread { GlobalExecutor.$afterTask.withValue(emitAgain) { emitter.invoke(1) } }
      await clock.waitForSleepers(1)
      observer.cancel()

      await until("nobody sleeps") { clock.sleeperCount == 0 }
    }
  }
}
