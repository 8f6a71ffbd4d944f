import SignalObserver
import SignalObserverTesting
import Testing

/// How often an operator calls what it is given, and what it refuses.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CallTests {
  private let emitter = EmitterArg<Int>()
  private let calls = Trace<Int>()

  @Test func `a filter asks once`() {
    let calls = calls
    let (trace, _) = emitter.signal.filter {
      calls.add($0); return $0 > 1
    }.traced()
    for number in 1...3 { emitter.invoke(number) }
    #expect(calls.entries == [1, 2, 3])
    #expect(trace.entries == [2, 3])
  }

  @Test func `a map and a compacting map transform once`() {
    let calls = calls
    let (trace, _) = emitter.signal
      .map {
        calls.add($0); return $0 * 10
      }
      .compactMap { (number: Int) -> Int? in
        calls.add(number); return number
      }
      .traced()
    for number in 1...2 { emitter.invoke(number) }
    #expect(calls.entries == [1, 10, 2, 20])
    #expect(trace.entries == [10, 20])
  }

  @Test func `a scan computes once`() {
    let calls = calls
    let (trace, _) = emitter.signal.scan(0) {
      calls.add($1); return $0 + $1
    }.traced()
    for number in 1...3 { emitter.invoke(number) }
    #expect(calls.entries == [1, 2, 3])
    #expect(trace.entries == [1, 3, 6])
  }

  @Test func `a scan computes again when another payload was emitted meanwhile`() {
    let (emitter, isFirst) = (emitter, Box(true))
    let (trace, observer) = emitter.signal.scan(0) { total, number in
      if isFirst.value == true {
        isFirst.value = false
        emitter.invoke(10)
      }
      return total + number
    }.traced()
    emitter.invoke(1)
    observer.cancel()
    #expect(trace.entries == [10, 11])
  }

  @Test func `elements are mapped in their order`() {
    let lists = EmitterArg<[Int]>()
    let (trace, _) = lists.signal.map { $0.map { $0 * 10 } }.traced()
    lists.invoke([1, 2, 3])
    #expect(trace.entries == [[10, 20, 30]])
  }

  @Test func `the connection of a one-shot lasts until its call has returned`() {
    let observer = Box<SignalObserver>()
    let ended = Trace<Bool?>()
    observer.value = emitter.signal.prefix(1).connect(on: .inline) { _ in
      ended.add(observer.value?.isCancelled)
    }
    emitter.invoke(1)
    #expect(ended.entries == [false])
    #expect(observer.value?.isCancelled == true)
  }

  @Test func `an asynchronous slot of an operator releases its payload`() async {
    let census = Census()
    let calls = calls
    emitter.signal.map { _ in census.member() }
      .connect { (witness: Lifetime) async in
        witness.use()
        calls.add(1)
      }
    emitter.signal.compactMap { _ in census.member() }
      .connect { (witness: Lifetime) async in
        witness.use()
        calls.add(2)
      }
    emitter.invoke(1)
    #expect(await calls.entries(2).sorted() == [1, 2])
    await until("the release of what they were given") { census.alive == 0 }
  }

  @Test func `throttle waits after what it has sent late, too`() async {
    let clock = ManualClock()
    let (trace, observer) = emitter.signal.throttle(for: .seconds(1), clock: clock).traced()
    defer { observer.cancel() }
    emitter.invoke(1)
    emitter.invoke(2)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(2) == [1, 2])
    emitter.invoke(3)
    #expect(trace.entries == [1, 2])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(3) == [1, 2, 3])
  }

  @Test func `a negative number of payloads stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = EmitterArg<Int>().signal.prefix(-1) }
    await #expect(processExitsWith: .failure) { _ = EmitterArg<Int>().signal.dropFirst(-1) }
    await #expect(processExitsWith: .failure) { _ = EmitterArg<Int>().signal.replay(-1) }
  }

  @Test func `a buffer without room stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = EmitterArg<Int>().signal.values(buffering: .oldest(0))
    }
  }

  @Test func `a clock that runs backwards stops the program`() async {
    await #expect(processExitsWith: .failure) { ManualClock().advance(by: .seconds(-1)) }
  }
}
