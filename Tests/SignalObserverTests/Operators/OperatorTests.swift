import Dispatch
import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OperatorTests {
  let emitter = EmitterArg<Int>()

  @Test func `a signal and a value have slots from the first connection to the last one`() {
    let value = EmitterValue(1)
    #expect(!emitter.signal.hasSlots && !value.signal.hasSlots)
    let observers = [emitter.signal.traced().1, value.signal.traced().1]
    #expect(emitter.signal.hasSlots && value.signal.hasSlots)
    for observer in observers { observer.cancel() }
    #expect(!emitter.signal.hasSlots && !value.signal.hasSlots)
  }

  @Test func `a signal and a value have no slots after the death of their emitter`() {
    var (emitter, value) = (EmitterArg<Int>(), EmitterValue(1))
    let (signal, valueSignal) = (emitter.signal, value.signal)
    signal.connect(on: nil) { _ in }
    valueSignal.connect(on: nil) { _ in }
    #expect(signal.hasSlots && valueSignal.hasSlots)
    (emitter, value) = (EmitterArg<Int>(), EmitterValue(1))
    #expect(!signal.hasSlots && !valueSignal.hasSlots)
  }

  @Test func `nil is a value to every operator that does not say otherwise`() {
    let emitter = EmitterArg<Int?>()
    let sources: [any SignalSource<Int?>] = [
      emitter.signal.map { $0 }, emitter.signal.filter { _ in true },
      emitter.signal.compactMap { .some($0) }, emitter.signal.removeDuplicates(),
      emitter.signal.prefix(9), emitter.signal.dropFirst(0), merge(emitter.signal),
      emitter.signal.pairwise().map { $1 },
      combineLatest(emitter.signal, emitter.signal).map { $1 }.removeDuplicates(),
    ]
    let traces = sources.map { $0.traced().0 }
    for payload in [1, nil, 2] { emitter.invoke(payload) }
    for (index, trace) in traces.enumerated() {
      #expect(trace.entries == (index == 7 ? [nil, 2] : [1, nil, 2]))
    }
  }

  @Test func `duplicates by a function are compared with the last one sent`() {
    let (trace, _) = emitter.signal.removeDuplicates { $1 - $0 < 3 }.traced()
    for number in [1, 2, 3, 4, 6, 7] { emitter.invoke(number) }
    #expect(trace.entries == [1, 4, 7])
  }

  @Test func `comparing may emit`() {
    let emitter = emitter
    defer { emitter.cancelAllObservers() }
    let isNested = Atomic(false)
    let (trace, _) = emitter.signal.removeDuplicates { last, new in
      if new == 2, !isNested.exchange(true, ordering: .relaxed) { emitter.invoke(3) }
      return last == new
    }.traced()
    for number in [1, 2] { emitter.invoke(number) }
    #expect(trace.entries == [1, 2, 3])
  }

  @Test func `pairwise under threads pairs each payload with the one before it`() async {
    let emitter = emitter
    let (trace, _) = emitter.signal.pairwise().traced()
    onThreads(4) { index in for number in 0..<500 { emitter.invoke(index * 500 + number) } }
    // A global queue may deliver the last ones.
    let entries = await trace.entries(1999)
    let (older, newer) = (entries.map(\.0), entries.map(\.1))
    #expect(newer.dropLast() == older.dropFirst())
    #expect(Set(older + newer.suffix(1)).count == 2000)
  }

  @Test func `a failed result is told apart`() {
    struct Failure: Error, Equatable { let code: Int }
    let emitter = EmitterArg<Result<Int, Failure>>()
    let (values, _) = emitter.signal.compactMap { try? $0.get() }.traced()
    let (errors, _) = emitter.signal.compactMap { result -> Failure? in
      if case .failure(let error) = result { error } else { nil }
    }.traced()
    emitter.invoke(.success(1))
    emitter.invoke(.failure(Failure(code: 2)))
    #expect(values.entries == [1])
    #expect(errors.entries == [Failure(code: 2)])
  }

  @Test func `an async slot gets adapted payloads one at a time`() async {
    let trace = Trace<String>()
    emitter.signal.filter { $0 > 1 }.removeDuplicates().map { "\($0)" }
      .connect { text async in
        trace.add(text)
        await Task.yield()
        trace.add("end \(text)")
      }
    for number in [1, 2, 2, 3] { emitter.invoke(number) }
    #expect(await trace.entries(4) == ["2", "end 2", "3", "end 3"])
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ReductionsTests {
  let emitter = EmitterArg<Int>()

  @Test func `reductions(into:) sends the result after each payload`() {
    let (trace, observer) = emitter.signal.reductions(into: [Int]()) { $0.append($1) }.traced()
    for number in 1...3 { emitter.invoke(number) }
    #expect(trace.entries == [[1], [1, 2], [1, 2, 3]])
    observer.cancel()
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `each connection of reductions(into:) has a result of its own`() {
    let sums = emitter.signal.reductions(into: 0) { $0 += $1 }
    let (first, _) = sums.traced()
    emitter.invoke(1)
    let (second, _) = sums.traced()
    emitter.invoke(2)
    #expect(first.entries == [1, 3])
    #expect(second.entries == [2])
  }

  @Test func `combineLatest keeps what reductions(into:) makes while it is suspended`() {
    let rate = EmitterValue(1)
    let sums = emitter.signal.reductions(into: 0) { $0 += $1 }
    let (trace, observer) = combineLatest(sums, rate.signal).map { [$0, $1] }.traced()
    emitter.invoke(5)
    observer.suspend()
    emitter.invoke(7)
    observer.resume()
    rate.set(2)
    #expect(trace.entries == [[5, 1], [12, 2]])
  }

  @Test func `reductions(into:) changes the result in place`() {
    final class Storage: Sendable {}
    struct Result: Sendable {
      var storage = Storage()
      var copies = 0

      mutating func add() {
        if !isKnownUniquelyReferenced(&storage) { (storage, copies) = (Storage(), copies + 1) }
      }
    }
    let copies = Box(0)
    let observer = emitter.signal.reductions(into: Result()) { result, _ in result.add() }
      .connect(on: .inline) { result in copies.value = result.copies }
    for number in 1...100 { emitter.invoke(number) }
    observer.cancel()
    // While the source is there, it keeps the initial result, which the first change then copies.
    #expect((copies.value ?? 2) <= 1)
  }

  @Test func `what the function of reductions(into:) emits to its own chain follows`() {
    let emitter = emitter
    defer { emitter.cancelAllObservers() }
    let (trace, _) = emitter.signal.reductions(into: [Int]()) { result, number in
      if number == 1 { emitter.invoke(2) }
      result.append(number)
    }.traced()
    emitter.invoke(1)
    #expect(trace.entries == [[1], [1, 2]])
  }

  @Test func `while the observer is suspended, reductions(into:) takes in and sends nothing`() {
    let (trace, observer) = emitter.signal.reductions(into: 0) { $0 += $1 }.traced()
    emitter.invoke(1)
    observer.suspend()
    emitter.invoke(2)
    observer.resume()
    emitter.invoke(3)
    #expect(trace.entries == [1, 6])
  }

  @Test func `the result of reductions(into:) is released with the connection`() {
    weak var result: Lifetime?
    let observer: SignalObserver
    do {
      let initial = Lifetime()
      result = initial
      observer = emitter.signal.reductions(into: initial) { _, _ in }.connect(on: .inline) { _ in }
    }
    emitter.invoke(1)
    #expect(result != nil)
    observer.cancel()
    #expect(result == nil)
  }

  @Test(arguments: [false, true])
  func `a payload that waits for a closure of an operator is released with the connection`(
    isInPlace: Bool
  ) {
    let (emitter, census) = (EmitterArg<Lifetime?>(), Census())
    let (entered, leave) = (Gate(), Gate())
    let wait: @Sendable () -> Void = {
      entered.open()
      leave.pass()
    }
    let observer =
      isInPlace
      ? emitter.signal.scan(0) { count, _ in
        wait()
        return count
      }.connect(on: .inline) { _ in }
      : emitter.signal.reductions(into: 0) { _, _ in wait() }.connect(on: .inline) { _ in }
    let thread = RunningThread { emitter.invoke(nil) }
    entered.pass()
    emitter.invoke(census.member())
    #expect(census.alive == 1)
    observer.cancel()
    #expect(census.alive == 0)
    leave.open()
    thread.join()
  }

  @Test func `what waits for a closure is sent, though the sources have ended and it is handed on`()
    async
  {
    let (other, trace) = (Box(EmitterArg<Int>()), Trace<Int>())
    let (entered, leave) = (Gate(), Gate())
    let first = emitter.signal.prefix(200).reductions(into: 0) { $0 = $1 }
    merge(first, other.value!.signal).scan(0) { _, number in
      if number == 0 {
        entered.open()
        leave.pass()
      }
      return number
    }.connect(on: .inline) { trace.add($0) }
    let thread = RunningThread {
      let emitter = other.value
      other.value = nil
      emitter?.invoke(0)
    }
    entered.pass()
    for number in 1...200 { emitter.invoke(number) }
    leave.open()
    thread.join()
    await until("the last payload") { trace.entries.last == 200 }
    #expect(trace.entries == Array(0...200))
  }

  @Test func `an asynchronous method behind an operator with state is called on its target`() async
  {
    final class Total: Sendable {
      let trace = Trace<Int>()

      func show(_ total: Int) async { trace.add(total) }
    }
    let total = Total()
    emitter.signal.scan(0, +).connect(total, Total.show)
    await emitter.invokeAndWait(1)
    await emitter.invokeAndWait(2)
    #expect(total.trace.entries == [1, 3])
  }
}

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

  /// Inline, on a queue, and behind a merge on a queue.
  @Test(arguments: [(0, [2, 1]), (1, [1, 2]), (2, [2, 1])])
  func `what a closure emits to its own chain precedes its payload, unless it runs later`(
    _ index: Int, _ expected: [Int]
  ) {
    let (emitter, trace, queue) = (emitter, Trace<Int>(), DispatchQueue(label: "slots"))
    let mapped = emitter.signal.map { number in
      if number == 1 { emitter.invoke(2) }
      return number
    }.map { $0 }
    let observer =
      switch index {
      case 0: mapped.connect(on: .inline) { trace.add($0) }
      case 1: mapped.connect(on: queue) { trace.add($0) }
      default: merge([mapped]).connect(on: queue) { trace.add($0) }
      }
    defer { observer.cancel() }
    emitter.invoke(1)
    for _ in 0..<3 { queue.sync {} }
    #expect(trace.entries == expected)
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
