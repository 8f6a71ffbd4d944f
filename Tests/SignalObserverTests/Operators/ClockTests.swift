import SignalObserver
import SignalObserverTesting
import Testing
import Turns

/// What operators of time send, if no task that waits has its turn: the clock decides, not the tasks.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class ClockTests {
  let emitter = EmitterArg<Int>()
  let time = ManualClock()
  let clock: LateClock<ManualClock>

  init() { clock = LateClock(time) }

  deinit { clock.wake() }

  /// The second, of ten, at which the second payload is sent.
  @Test(arguments: [(9, [1]), (10, [1, 2]), (11, [1, 2])])
  func `throttle sends a payload at once when its window ends`(_ second: Int, _ sent: [Int]) {
    let (trace, observer) = emitter.signal.throttle(for: .seconds(10), clock: clock).traced()
    defer { observer.cancel() }

    emitter.invoke(1)
    time.advance(by: .seconds(second))
    emitter.invoke(2)

    #expect(trace.entries == sent)
  }

  @Test func `throttle sends a due payload before a new one, and counts from its due time`()
    async
  {
    let (trace, observer) = emitter.signal.throttle(for: .seconds(10), clock: clock).traced()
    defer { observer.cancel() }

    var states: [[Int]] = []
    for second in [0, 9, 10, 19, 20, 41] {
      time.advance(by: .seconds(second) - time.now.offset)
      emitter.invoke(second)
      states.append(trace.entries)
      // The task looks at the clock once more before it sleeps: it must not send what is due instead.
      if second == 9 { await clock.waitForSleepers(1) }
    }

    #expect(states == [[0], [0], [0, 9], [0, 9], [0, 9, 19], [0, 9, 19, 20, 41]])
  }

  @Test func `throttle for no time sends everything`() {
    let (trace, observer) = emitter.signal.throttle(for: .zero, clock: clock).traced()
    defer { observer.cancel() }

    for number in 1...100 { emitter.invoke(number) }

    #expect(trace.entries == Array(1...100))
  }

  @Test(arguments: [(9, []), (10, [1]), (11, [1])])
  func `debounce sends a due payload, also if another one is emitted`(
    _ second: Int, _ sent: [Int]
  ) async {
    let (trace, observer) = emitter.signal.debounce(for: .seconds(10), clock: clock).traced()
    defer { observer.cancel() }

    emitter.invoke(1)
    await clock.waitForSleepers(1)
    time.advance(by: .seconds(second))
    emitter.invoke(2)
    #expect(trace.entries == sent)

    time.advance(by: .seconds(10))
    emitter.invoke(3)
    #expect(trace.entries == sent + [2])
  }

  @Test(arguments: [(9, []), (10, [1]), (11, [1])])
  func `delay sends a due payload when another one is emitted`(_ second: Int, _ sent: [Int]) async {
    let (trace, observer) = emitter.signal.delay(for: .seconds(10), clock: clock).traced()
    defer { observer.cancel() }

    emitter.invoke(1)
    await clock.waitForSleepers(1)
    time.advance(by: .seconds(second))
    emitter.invoke(2)
    #expect(trace.entries == sent)

    time.advance(by: .seconds(100))
    emitter.invoke(3)
    #expect(trace.entries == [1, 2])
  }

  @Test(arguments: [(9, [1]), (10, []), (11, [])])
  func `nothing passes a prefix of time when it is over`(_ second: Int, _ sent: [Int]) {
    let (trace, observer) = emitter.signal.prefix(for: .seconds(10), clock: clock).traced()

    time.advance(by: .seconds(second))
    emitter.invoke(1)

    #expect(trace.entries == sent)
    #expect(observer.isCancelled == sent.isEmpty)
  }

  @Test func `a prefix of time begins when its slot is connected`() {
    let source = emitter.signal.prefix(for: .seconds(10), clock: clock)
    time.advance(by: .seconds(9))
    let (trace, observer) = source.traced()

    time.advance(by: .seconds(9))
    emitter.invoke(1)
    time.advance(by: .seconds(1))
    emitter.invoke(2)

    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }

  @Test(arguments: [(9, 1), (10, nil), (11, nil)])
  func `next returns nothing that is sent when the time is over`(
    _ second: Int, _ expected: Int?
  ) async {
    let next = Task { [emitter, clock] in
      await emitter.signal.next(timeout: .seconds(10), clock: clock)
    }
    await clock.waitForSleepers(1)

    time.advance(by: .seconds(second))
    emitter.invoke(1)
    clock.wake()

    #expect(await next.value == expected)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `next of a value is the current one, also if there is no time`() async {
    let value = EmitterValue(1)

    #expect(await value.signal.next(timeout: .zero) == 1)
  }

  @Test func `the clock decides, if it is a real one, too`() async {
    let real = ContinuousClock()
    let late = LateClock(real)
    let duration = Duration.milliseconds(1)
    let (throttled, first) = emitter.signal.throttle(for: duration, clock: late).traced()
    let (debounced, second) = emitter.signal.debounce(for: duration, clock: late).traced()
    // What sleeps on this clock would be there for ever.
    defer { for observer in [first, second] { observer.cancel() } }
    let (prefix, observer) = emitter.signal.prefix(for: duration, clock: late).traced()

    for number in 1...5 {
      let next = real.now + duration * 2
      while real.now < next {}
      emitter.invoke(number)
    }

    #expect(throttled.entries == [1, 2, 3, 4, 5])
    #expect(await debounced.entries(4) == [1, 2, 3, 4])
    #expect(prefix.entries.isEmpty)
    #expect(observer.isCancelled)
    late.wake()
  }

  @Test func `no payload waits for ever when the clock fails to sleep`() async {
    let (failing, second) = (FailingClock(time), Duration.seconds(1))
    let sources: [any SignalSource<Int>] = [
      emitter.signal.throttle(for: second, clock: failing).dropFirst(),
      emitter.signal.debounce(for: second, clock: failing),
      emitter.signal.delay(for: second, clock: failing).dropFirst(),
    ]
    let slots = sources.map { $0.traced() }
    defer { for (_, observer) in slots { observer.cancel() } }

    emitter.invoke(1)
    emitter.invoke(2)

    for (trace, _) in slots { await until("the last payload") { trace.entries.last == 2 } }
    #expect(slots.map { trace, _ in trace.entries.last } == [2, 2, 2])
  }

  @Test func `what follows a sleep that failed is due by the clock`() async {
    let isFailing = Box(true)
    let failing = FailingClock(time) { isFailing.value == true }
    let (trace, observer) = emitter.signal.debounce(for: .seconds(10), clock: failing).traced()
    defer { observer.cancel() }
    emitter.invoke(1)
    #expect(await trace.entries(1) == [1])
    isFailing.value = false
    time.advance(by: .seconds(1))

    emitter.invoke(2)
    await time.waitForSleepers(1)
    time.advance(by: .seconds(10))

    #expect(await trace.entries(2) == [1, 2])
  }

  @Test func `next returns nothing when the clock fails to sleep`() async {
    let next = Task { [emitter, time] in
      await emitter.signal.next(timeout: .seconds(1), clock: FailingClock(time))
    }
    let ended = Trace<Int?>()
    let watch = Task { ended.add(await next.value) }
    #expect(await ended.entries(1) == [nil])
    // It would wait for ever, and so would the test.
    next.cancel()
    await watch.value
  }

  @Test func `a prefix of time does not end early when the clock fails to sleep`() {
    let (trace, observer) =
      emitter.signal.prefix(for: .seconds(1), clock: FailingClock(time)).traced()
    emitter.invoke(1)
    time.advance(by: .seconds(1))
    emitter.invoke(2)

    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }

  @Test func `throttle ends with its emitter when nothing is held back`() {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let (trace, observer) = emitter!.signal.throttle(for: .seconds(10), clock: clock).traced()

    emitter?.invoke(1)
    emitter = nil

    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }
}

/// A clock that is right about the time, and wakes those who sleep only when a test says so: that is how
/// it is for them while others keep the processors busy.
struct LateClock<Base: Clock>: Clock where Base.Duration == Duration {
  private let base: Base
  private let waking = ManualClock()

  init(_ base: Base) { self.base = base }

  var now: Base.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: Base.Instant, tolerance: Duration?) async throws {
    try await waking.sleep(until: waking.now.advanced(by: .seconds(1)))
  }

  func waitForSleepers(_ count: Int) async { await waking.waitForSleepers(count) }

  func wake() { waking.advance(by: .seconds(1)) }
}

/// A clock that is right about the time, and cannot sleep, or not always.
struct FailingClock: Clock {
  struct Failure: Error {}

  private let base: ManualClock
  private let isFailing: @Sendable () -> Bool

  init(_ base: ManualClock, if isFailing: @escaping @Sendable () -> Bool = { true }) {
    self.base = base
    self.isFailing = isFailing
  }

  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    if isFailing() { throw Failure() }
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

/// A clock whose sleeps end when half of their time is over.
struct EarlyClock: Clock {
  let base: ManualClock

  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    let now = now
    try await base.sleep(until: now.advanced(by: now.duration(to: deadline) / 2))
  }
}

/// What operators of time do if a clock wakes their tasks early.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class EarlyClockTests {
  let emitter = EmitterArg<Int>()
  let time = ManualClock()
  let clock: EarlyClock

  init() { clock = EarlyClock(base: time) }

  deinit { time.advance(by: .seconds(1000)) }

  /// Returns when the task that has been woken sleeps again, or `isOver` holds.
  private func untilAsleep(or isOver: () -> Bool) async {
    await until("the task to sleep again") { time.sleeperCount == 1 || isOver() }
  }

  @Test(arguments: 0..<4) func `nothing is sent early`(_ index: Int) async {
    let sources: [any SignalSource<Int>] = [
      emitter.signal.debounce(for: .seconds(8), clock: clock),
      emitter.signal.delay(for: .seconds(8), clock: clock),
      emitter.signal.throttle(for: .seconds(8), clock: clock).dropFirst(),
      ticks(every: .seconds(8), clock: clock),
    ]
    let (trace, observer) = sources[index].traced()
    defer { observer.cancel() }
    emitter.invoke(1)
    emitter.invoke(1)
    await time.waitForSleepers(1)

    for _ in 0..<4 {
      time.advance(by: .seconds(1))
      await untilAsleep { !trace.entries.isEmpty }
    }

    #expect(trace.entries.isEmpty)
    await until("the payload") {
      time.advance(by: .seconds(4))
      return !trace.entries.isEmpty
    }
    #expect(time.now.offset >= .seconds(8))
  }

  @Test func `a spy does not give up early`() async {
    let (spy, clock) = (SignalSpy(emitter.signal), clock)
    let waiting = Task { try await spy.next(timeout: .seconds(8), clock: clock) }
    await time.waitForSleepers(1)

    time.advance(by: .seconds(4))
    await untilAsleep { spy.waitCount == 0 }

    #expect(spy.waitCount == 1)
    await until("the end of the time") {
      time.advance(by: .seconds(4))
      return spy.waitCount == 0
    }
    await #expect(throws: SpyTimeout.self) { try await waiting.value }
    #expect(time.now.offset >= .seconds(8))
  }

  @Test func `a prefix of time does not end early`() async {
    let (trace, observer) = emitter.signal.prefix(for: .seconds(8), clock: clock).traced()
    defer { observer.cancel() }
    await time.waitForSleepers(1)

    time.advance(by: .seconds(4))
    await untilAsleep { observer.isCancelled }
    emitter.invoke(1)

    #expect(trace.entries == [1])
    await until("the end") {
      time.advance(by: .seconds(1))
      return observer.isCancelled
    }
    #expect(time.now.offset >= .seconds(8))
  }

  @Test func `next does not give up early`() async {
    let isOver = Box(false)
    let next = Task { [emitter, clock] in
      let payload = await emitter.signal.next(timeout: .seconds(8), clock: clock)
      isOver.value = true
      return payload
    }
    await time.waitForSleepers(1)

    time.advance(by: .seconds(4))
    await untilAsleep { isOver.value == true }
    emitter.invoke(1)

    #expect(await next.value == 1)
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class TicksTests {
  let clock = ManualClock()

  // Who waits for the clock would do so for ever.
  deinit { clock.advance(by: .seconds(1000)) }

  @Test func `ticks send the number of intervals, each at its time`() async {
    let (trace, observer) = ticks(every: .seconds(2), clock: clock).traced()
    await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(1999))
    #expect(clock.sleeperCount == 1 && trace.entries.isEmpty)
    clock.advance(by: .milliseconds(1))
    #expect(await trace.entries(1) == [1])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(2))
    #expect(await trace.entries(2) == [1, 2])
    observer.cancel()
  }

  @Test func `ticks do not drift when a slot takes time, and late ones are not made up`() async {
    let clock = clock
    let trace = Trace<Int>()
    let observer = ticks(every: .seconds(2), clock: clock).connect(on: .inline) { number in
      // The first slot takes a second, and the second one five.
      clock.advance(by: .seconds(number == 1 ? 1 : number == 2 ? 5 : 0))
      trace.add(number)
    }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(2))
    #expect(await trace.entries(1) == [1])
    await clock.waitForSleepers(1)
    // At 3 seconds, the second tick is due in one.
    clock.advance(by: .seconds(1))
    // At 9 seconds, two ticks are late: one is sent for both, and the fifth is due in one second.
    #expect(await trace.entries(3) == [1, 2, 4])
    observer.cancel()
  }

  @Test func `the task of ticks ends with the connection`() async {
    let (_, observer) = ticks(every: .seconds(2), clock: clock).traced()
    await clock.waitForSleepers(1)
    observer.cancel()
    await until("the task to end") { [clock] in clock.sleeperCount == 0 }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `ticks end at the first tick after the death of the target`() async {
    final class Target: Sendable {}
    var target: Target? = Target()
    weak var captured: Lifetime?
    do {
      let witness = Lifetime()
      captured = witness
      ticks(every: .seconds(2), clock: clock)
        .connect(target!, on: .inline) { _, _ in withExtendedLifetime(witness) {} }
    }
    await clock.waitForSleepers(1)
    target = nil
    #expect(captured != nil)
    clock.advance(by: .seconds(2))
    // Nobody looks at the target but the tick.
    await until("the slot to be released") { captured == nil }
    #expect(captured == nil)
  }

  @Test func `ticks end at the first tick after the death of the target, also while suspended`()
    async
  {
    final class Target: Sendable {}
    var target: Target? = Target()
    let observer = ticks(every: .seconds(2), clock: clock)
      .connect(target!, on: .inline) { _, _ in }
    observer.suspend()
    await clock.waitForSleepers(1)
    target = nil
    clock.advance(by: .seconds(2))
    await until("the task to end") { [clock] in clock.sleeperCount == 0 && observer.isCancelled }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `the number of a tick is right, however the interval is rounded`() async {
    let interval = Duration.seconds(1) / 60
    let (trace, observer) = ticks(every: interval, clock: clock).traced()
    await clock.waitForSleepers(1)
    clock.advance(by: interval * 19)
    #expect(await trace.entries(1) == [19])
    observer.cancel()
  }

  @Test func `each connection has ticks of its own`() async {
    let source = ticks(every: .seconds(2), clock: clock)
    let (first, one) = source.traced()
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    let (second, other) = source.traced()
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1))
    #expect(await first.entries(1) == [1])
    #expect(second.entries.isEmpty)
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1))
    #expect(await second.entries(1) == [1])
    for observer in [one, other] { observer.cancel() }
  }

  @Test func `ticks with less than a nanosecond between them stop the program`() async {
    await #expect(processExitsWith: .failure) { _ = ticks(every: .zero) }
    await #expect(processExitsWith: .failure) { _ = ticks(every: .nanoseconds(1) / 2) }
    _ = ticks(every: .nanoseconds(1))
  }
}
