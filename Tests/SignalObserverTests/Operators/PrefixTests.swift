import SignalObserver
import SignalObserverTesting
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct PrefixTests {
  let emitter = EmitterArg<Int>()

  @Test func `a one-shot slot of a value is called with the current one only`() {
    let value = EmitterValue(1)
    let (trace, observer) = value.signal.prefix(1).traced()
    value.set(2)
    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }

  @Test func `what connecting delivers is not sent either after what was refused`() {
    let recent = emitter.signal.replay(5)
    for number in [1, 100, 2, 200, 3] { emitter.invoke(number) }
    let (trace, observer) = recent.prefix { $0 < 50 }.traced()
    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }

  @Test func `prefix calls an async method of its target, and then ends`() async {
    let (emitter, reader) = (EmitterArg<Int>(), Reader())
    let observer = emitter.signal.prefix(2).connect(reader, Reader.read)
    for number in 1...3 { emitter.invoke(number) }

    #expect(await reader.numbers.entries(2) == [1, 2])
    await until("the end of the connection") { observer.isCancelled }
  }

  @Test func `the task of a one-shot async slot is not cancelled while it runs`() async {
    let trace = Trace<Bool>()
    emitter.signal.prefix(1).connect { _ async in
      await Task.yield()
      trace.add(Task.isCancelled)
    }
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(await trace.entries(1) == [false])
  }

  @Test func `a prefix of nothing is cancelled from the start`() {
    let (trace, observer) = emitter.signal.prefix(0).traced()
    emitter.invoke(1)
    #expect(observer.isCancelled)
    #expect(trace.entries.isEmpty)
  }

  @Test func `a prefix for a time that is cancelled does not wait for it`() async {
    let clock = ManualClock()
    let (_, observer) = emitter.signal.prefix(for: .seconds(2), clock: clock).traced()
    await clock.waitForSleepers(1)
    observer.cancel()
    await until("the end of the sleep") { clock.sleeperCount == 0 }
    #expect(emitter.signal.slotCount == 0)
  }
}

private final class Reader: Sendable {
  let numbers = Trace<Int>()

  @concurrent func read(_ number: Int) async { numbers.add(number) }
}
