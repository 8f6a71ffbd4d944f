import Dispatch
import SignalObserverTesting
import Testing
import Turns

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class TimeTests {
  let emitter = EmitterArg<Int>()
  let clock = ManualClock()

  // Who waits for the clock would do so for ever.
  deinit { clock.advance(by: .seconds(1000)) }

  @Test func `debounce sends the newest when it is quiet`() async {
    let (trace, _) = emitter.signal.debounce(for: .seconds(2), clock: clock).traced()
    emitter.invoke(1)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    emitter.invoke(2)
    clock.advance(by: .seconds(1))
    await clock.waitForSleepers(1)
    #expect(trace.entries.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(1) == [2])
    emitter.invoke(3)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(2))
    #expect(await trace.entries(2) == [2, 3])
  }

  @Test func `throttle sends the newest of a window when it ends, and begins the next one`() async {
    let (trace, _) = emitter.signal.throttle(for: .seconds(2), clock: clock).traced()
    for number in 1...3 { emitter.invoke(number) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(2))
    #expect(await trace.entries(2) == [1, 3])
    clock.advance(by: .seconds(1))
    emitter.invoke(4)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(3) == [1, 3, 4])
  }

  @Test func `throttle without the latest sends the first of each window, and nothing waits`() {
    let (trace, _) = emitter.signal.throttle(for: .seconds(2), latest: false, clock: clock).traced()
    for number in 1...3 { emitter.invoke(number) }
    #expect(clock.sleeperCount == 0)
    clock.advance(by: .seconds(2))
    emitter.invoke(4)
    clock.advance(by: .seconds(1))
    emitter.invoke(5)
    #expect(trace.entries == [1, 4])
    #expect(clock.sleeperCount == 0)
  }

  @Test func `collect sends what a window has, or as many as it may`() async {
    let (trace, _) = emitter.signal.collect(3, for: .seconds(2), clock: clock).traced()
    emitter.invoke(1)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    emitter.invoke(2)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(1) == [[1, 2]])
    for number in 3...6 { emitter.invoke(number) }
    #expect(trace.entries == [[1, 2], [3, 4, 5]])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(2))
    #expect(await trace.entries(3) == [[1, 2], [3, 4, 5], [6]])
  }

  @Test func `collect by time alone has no limit`() async {
    let (trace, _) = emitter.signal.collect(for: .seconds(2), clock: clock).traced()
    for number in 0..<1000 { emitter.invoke(number) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(2))
    #expect(await trace.entries(1) == [Array(0..<1000)])
  }

  @Test(arguments: [true, false])
  func `what was collected is sent when the emitter dies`(hasWindow: Bool) async {
    var source: EmitterArg<Int>? = EmitterArg()
    let signal = source?.signal ?? emitter.signal
    let (trace, observer) =
      hasWindow
      ? signal.collect(3, for: .seconds(2), clock: clock).traced() : signal.collect(3).traced()
    for number in 1...5 { source?.invoke(number) }
    source = nil
    #expect(trace.entries == [[1, 2, 3], [4, 5]])
    await until("the connection to end") { observer.isCancelled }
  }

  @Test func `a collect that has sent everything ends with its emitter`() async {
    for isSuspended in [false, true] {
      var source: EmitterArg<Int>? = EmitterArg()
      let signal = source?.signal ?? emitter.signal
      let (trace, observer) = signal.collect(2, for: .seconds(2), clock: clock).traced()
      source?.invoke(1)
      await clock.waitForSleepers(1)
      source?.invoke(2)
      if isSuspended { observer.suspend() }
      source = nil
      await until("the connection to end") { observer.isCancelled }
      #expect(trace.entries == [[1, 2]])
    }
  }

  @Test func `a task that sleeps before it is stored is cancelled if nothing is left`() {
    let slot = SignalSlot<[Int]>(.inline, #fileID, #line) { _ in }
    let timer = Timer(slot, Collect(3, .seconds(9)), clock)
    timer.worklist.state.withLock { state in
      (state.model.isWaiting, state.model.isAsleep, state.model.taskCount) = (true, true, 1)
    }

    timer.sendRest()
    timer.beginWaiting(1, .medium)

    #expect(timer.worklist.read { $0.task } == nil)
  }

  @Test func `collect drops what it has with its connection, and takes nothing while suspended`() {
    let (trace, observer) = emitter.signal.collect(2).traced()
    emitter.invoke(1)
    observer.suspend()
    emitter.invoke(2)
    observer.resume()
    emitter.invoke(3)
    emitter.invoke(4)
    observer.cancel()
    #expect(trace.entries == [[1, 3]])
  }

  @Test func `what was collected before zip is paired, although the emitter dies while suspended`()
  {
    var source: EmitterArg<Int>? = EmitterArg()
    let signal = source?.signal ?? emitter.signal
    let (trace, observer) = signal.collect(3).zip(emitter.signal).map { "\($0) \($1)" }.traced()
    source?.invoke(1)
    observer.suspend()
    source = nil
    observer.resume()
    emitter.invoke(2)
    #expect(trace.entries == ["[1] 2"])
  }

  @Test func `the time of the emission decides what throttle drops, although the queue is busy`() {
    let queue = DispatchQueue(label: "slots")
    let trace = Trace<Int>()
    queue.suspend()
    emitter.signal.throttle(for: .seconds(2), latest: false, clock: clock)
      .connect(on: queue) { trace.add($0) }
    for number in 1...3 {
      emitter.invoke(number)
      clock.advance(by: .seconds(1))
    }
    queue.resume()
    queue.sync {}
    #expect(trace.entries == [1, 3])
  }

  @Test func `delay sends every payload later, in order`() async {
    let (trace, _) = emitter.signal.delay(for: .seconds(2), clock: clock).traced()
    emitter.invoke(1)
    emitter.invoke(2)
    clock.advance(by: .seconds(1))
    emitter.invoke(3)
    await clock.waitForSleepers(1)
    #expect(trace.entries.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(2) == [1, 2])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(3) == [1, 2, 3])
  }

  private func sources<Payload: Sendable>(
    of signal: Signal<Payload>
  ) -> [any SignalSource<Payload>] {
    [
      signal.debounce(for: .seconds(1), clock: clock),
      signal.delay(for: .seconds(1), clock: clock),
      signal.throttle(for: .seconds(1), clock: clock).dropFirst(),
    ]
  }

  private func sources() -> [any SignalSource<Int>] { sources(of: emitter.signal) }

  @Test(arguments: 0..<3) func `cancelling releases what is pending`(_ index: Int) async {
    let emitter = EmitterArg<Lifetime>()
    let observer = sources(of: emitter.signal)[index].connect(on: .inline) { _ in
      Issue.record("a slot was called")
    }
    emitter.invoke(Lifetime())
    weak var pending: Lifetime?
    do {
      let witness = Lifetime()
      pending = witness
      emitter.invoke(witness)
    }
    await clock.waitForSleepers(1)
    #expect(pending != nil)
    observer.cancel()
    await until("the end of the sleep") { clock.sleeperCount == 0 }
    await until("the release of what is pending") { pending == nil }
    #expect(emitter.signal.slotCount == 0)
  }

  @Test(arguments: 0..<3) func `what is pending when the emitter dies is sent`(_ index: Int) async {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let signal = emitter!.signal
    let (trace, observer) = sources(of: signal)[index].traced()
    if index == 2 { emitter?.invoke(0) }
    emitter?.invoke(1)
    await clock.waitForSleepers(1)
    emitter = nil
    #expect(!observer.isCancelled)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(1) == [1])
    await until("the end of the connection") {
      clock.advance(by: .seconds(1))
      return observer.isCancelled
    }
  }

  @Test(arguments: 0..<3)
  func `what is emitted while suspended is never due`(_ index: Int) async {
    let (trace, observer) = sources()[index].traced()
    defer { observer.cancel() }
    observer.suspend()
    emitter.invoke(1)
    observer.resume()
    emitter.invoke(2)
    emitter.invoke(3)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    let count = index == 1 ? 2 : 1
    #expect(await trace.entries(count) == (index == 1 ? [2, 3] : [3]))
  }

  enum Stage: CaseIterable {
    case merge
    case combineLatest
    case delay
    case bind
  }

  private final class Screen {
    let trace = Trace<Int>()
    var number = -1 { didSet { trace.add(number) } }
  }

  @Test(arguments: 0..<3, Stage.allCases)
  func `what is emitted while suspended is never due behind another stage`(
    _ index: Int, _ stage: Stage
  ) async {
    let screen = Screen()
    func connect(_ source: some SignalSource<Int>) -> SignalObserver {
      switch stage {
      case .merge: merge([source]).connect(on: .inline) { [trace = screen.trace] in trace.add($0) }
      case .combineLatest:
        combineLatest([source]).connect(on: .inline) { [trace = screen.trace] in trace.add($0[0]) }
      case .delay:
        source.delay(for: .zero, clock: clock).connect(on: .inline) { [trace = screen.trace] in
          trace.add($0)
        }
      case .bind: source.bind(to: \.number, of: screen, on: .inline)
      }
    }
    let observer = connect(sources()[index])
    emitter.invoke(0)
    observer.suspend()
    emitter.invoke(1)
    observer.resume()
    clock.advance(by: .seconds(1))
    emitter.invoke(2)

    let expected = index == 2 ? [2] : [0, 2]
    await until("the last payload") {
      clock.advance(by: .seconds(1))
      return screen.trace.entries.count >= expected.count
    }

    #expect(screen.trace.entries == expected)
  }

  @Test(arguments: 0..<3)
  func `connections do not share what is pending`(_ index: Int) async {
    let source = sources()[index]
    let (first, firstObserver) = source.traced()
    emitter.invoke(1)
    let (second, secondObserver) = source.traced()
    defer { for observer in [firstObserver, secondObserver] { observer.cancel() } }
    emitter.invoke(2)
    emitter.invoke(3)
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1))
    #expect(await first.entries(index == 1 ? 3 : 1) == (index == 1 ? [1, 2, 3] : [3]))
    #expect(await second.entries(index == 1 ? 2 : 1) == (index == 1 ? [2, 3] : [3]))
  }

  @Test(arguments: 0..<3)
  func `an operator of time keeps the order on a queue`(_ index: Int) async {
    let trace = Trace<Int>()
    let queue = DispatchQueue(label: "operators", attributes: .concurrent)
    sources()[index].connect(on: queue) { trace.add($0) }
    for number in [3, 1, 2] { emitter.invoke(number) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    let expected = index == 1 ? [3, 1, 2] : [2]
    #expect(await trace.entries(expected.count) == expected)
  }

  @Test(arguments: 0..<3)
  func `a slot of an operator of time may cancel its own connection`(_ index: Int) async {
    let trace = Trace<Int>()
    let holder = Trace<SignalObserver>()
    let observer = sources()[index].connect(on: .inline) {
      trace.add($0)
      holder.entries.first?.cancel()
    }
    holder.add(observer)
    for number in [3, 1, 2] { emitter.invoke(number) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(1) == (index == 1 ? [3] : [2]))
    // The clock's thread releases the source when the call has returned.
    await until("the end of the sleep and of the slot") {
      clock.sleeperCount == 0 && emitter.signal.slotCount == 0
    }
    #expect(observer.isCancelled)
    #expect(trace.entries.count == 1)
  }

  @Test(arguments: 0..<3)
  func `an emission finds a dead target, and releases what is pending`(_ index: Int) async {
    final class Target: Sendable { func receive(_ witness: Lifetime) { Issue.record("called") } }
    let emitter = EmitterArg<Lifetime>()
    var target: Target? = Target()
    @Weakly var kept = target
    let observer = sources(of: emitter.signal)[index].connect(target!, Target.receive, .inline)
    emitter.invoke(Lifetime())
    var witness: Lifetime? = Lifetime()
    @Weakly var pending = witness
    emitter.invoke(witness!)
    witness = nil
    await clock.waitForSleepers(1)
    target = nil
    #expect(kept == nil)
    #expect(pending != nil)
    emitter.invoke(Lifetime())
    await until("the end of the sleep and of what is pending") {
      clock.sleeperCount == 0 && pending == nil
    }
    #expect(observer.isCancelled)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `what was sent is released outside of the lock`() {
    let payloads = EmitterArg<Lifetime?>()
    let trace = Trace<Bool>()
    payloads.signal.throttle(for: .zero, clock: clock).connect(on: .inline) { payload in
      trace.add(payload == nil)
      // Waits for this call to end, and is then held by the operator alone.
      if trace.entries.count == 1 { payloads.invoke(Lifetime { payloads.invoke(nil) }) }
    }
    payloads.invoke(nil)
    payloads.cancelAllObservers()

    #expect(trace.entries == [true, false, true])
  }

  @Test func `a slot that drops the emitter is not cancelled`() async {
    let (emitter, trace) = (Box(EmitterArg<Int>()), Trace<Bool>())
    emitter.value?.signal.debounce(for: .seconds(1), clock: clock).connect(on: .inline) { _ in
      emitter.value = nil
      trace.add(Task.isCancelled)
    }
    emitter.value?.invoke(1)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(1) == [false])
  }

  @Test func `a payload that is emitted while its connection ends is released`() async {
    let payloads = EmitterArg<Lifetime>()
    let observer = Box<SignalObserver>()
    let ending = ReadClock(clock) { observer.value?.cancel() }
    let connected = payloads.signal.delay(for: .seconds(1), clock: ending)
      .connect(on: .inline) { _ in Issue.record("a slot was called") }
    observer.value = connected
    var witness: Lifetime? = Lifetime()
    @Weakly var pending = witness
    payloads.invoke(witness!)
    witness = nil

    #expect(connected.isCancelled)
    await until("the release of the payload") { pending == nil }
  }

  @Test func `an emission that has read the clock before another one counts from the later time`() {
    let (entered, leave) = (Gate(), Gate())
    let holding = Box<(entered: Gate, leave: Gate)>()
    let held = ReadClock(clock) {
      guard let (entered, leave) = holding.value else { return }
      holding.value = nil
      entered.open()
      leave.pass()
    }
    let (trace, observer) = emitter.signal.debounce(for: .seconds(10), clock: held).traced()
    holding.value = (entered, leave)
    let thread = RunningThread { [emitter] in emitter.invoke(1) }
    entered.pass()
    clock.advance(by: .seconds(5))
    emitter.invoke(2)
    leave.open()
    thread.join()

    // The 1 is due at 15 seconds, and not at 10. Any emission would send it first if it were due.
    clock.advance(by: .seconds(5))
    emitter.invoke(3)
    observer.cancel()

    #expect(trace.entries == [])
  }

  @Test(arguments: [true, false])
  func `what is displaced is released outside of the lock`(isDebounced: Bool) async {
    let payloads = EmitterArg<Lifetime?>()
    // Sent while the one before is released, which takes the lock again.
    let displaced = { Lifetime { payloads.invoke(nil) } }
    let (trace, observer) =
      isDebounced
      ? payloads.signal.debounce(for: .seconds(1), clock: clock).map { $0 == nil }.traced()
      : payloads.signal.throttle(for: .seconds(1), clock: clock).map { $0 == nil }.traced()
    payloads.invoke(nil)
    payloads.invoke(displaced())
    payloads.invoke(nil)
    clock.advance(by: .seconds(2))
    let last = await trace.entries(isDebounced ? 1 : 2).last
    observer.cancel()

    #expect(last == true)
  }
}

/// A clock that does something when it has been read.
private struct ReadClock: Clock {
  let base: ManualClock
  let onRead: @Sendable () -> Void

  init(_ base: ManualClock, _ onRead: @escaping @Sendable () -> Void) {
    (self.base, self.onRead) = (base, onRead)
  }

  var now: ManualClock.Instant {
    let now = base.now
    onRead()
    return now
  }

  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}
