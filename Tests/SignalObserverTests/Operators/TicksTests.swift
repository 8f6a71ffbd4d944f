import SignalObserver
import SignalObserverTesting
import Testing
import Turns

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

  @Test func `ticks without time between them stop the program`() async {
    await #expect(processExitsWith: .failure) { _ = ticks(every: .zero) }
  }
}
