import Dispatch
import SignalObserver
import Synchronization
import Testing

@Suite struct OperatorTests {
  let emitter = EmitterArg<Int>()

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
      #expect(trace.elements == (index == 7 ? [nil, 2] : [1, nil, 2]))
    }
  }

  @Test func `map calls its function once for each delivery`() {
    let calls = Trace<Int>()
    let source = emitter.signal.map { number -> Int in
      calls.add(number)
      return -number
    }
    let (first, _) = source.traced()
    let (second, _) = source.traced()
    emitter.invoke(1)
    #expect(calls.elements == [1, 1])
    #expect(first.elements + second.elements == [-1, -1])
  }

  @Test func `transforms run where the slot runs`() {
    let queue = DispatchQueue(label: "transforms")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let trace = Trace<Bool>()
    emitter.signal.map { _ in DispatchQueue.getSpecific(key: key) ?? false }
      .filter { _ in DispatchQueue.getSpecific(key: key) ?? false }
      .connect({ trace.add($0) }, queue)
    emitter.invoke(1)
    queue.sync {}
    #expect(trace.elements == [true])
  }

  @Test func `map changes the number of arguments`() {
    final class Label {
      var lines: [String] = []
      func show(number: Int, text: String) { lines.append("\(number) \(text)") }
      func clear() { lines.append("clear") }
    }
    let void = EmitterVoid()
    let label = Label()
    void.signal.map { 7 }.map { ($0, "seven") }.connect(label, Label.show, nil)
    void.signal.map { 7 }.connect(label, Label.clear, nil)
    void.invoke()
    #expect(label.lines == ["7 seven", "clear"])
  }

  @Test func `filters stack, and one does not affect another branch`() {
    let even = emitter.signal.filter { $0 % 2 == 0 }
    let (all, _) = emitter.signal.traced()
    let (evens, _) = even.traced()
    let (large, _) = even.filter { $0 > 2 }.traced()
    for number in 1...4 { emitter.invoke(number) }
    #expect(all.elements == [1, 2, 3, 4])
    #expect(evens.elements == [2, 4])
    #expect(large.elements == [4])
  }

  @Test func `compactMap looks at nothing but the payload`() {
    let (trace, _) = emitter.signal.compactMap { $0 == 0 ? nil : 10 / $0 }.traced()
    for number in [0, 5, 0, 5, 5] { emitter.invoke(number) }
    #expect(trace.elements == [2, 2, 2])
  }

  @Test func `duplicates are what is equal to the last one sent`() {
    let (trace, _) = emitter.signal.removeDuplicates().traced()
    for number in [1, 1, 2, 2, 1] { emitter.invoke(number) }
    #expect(trace.elements == [1, 2, 1])
  }

  @Test func `duplicates by a function are compared with the last one sent`() {
    let (trace, _) = emitter.signal.removeDuplicates { $1 - $0 < 3 }.traced()
    for number in [1, 2, 3, 4, 6, 7] { emitter.invoke(number) }
    #expect(trace.elements == [1, 4, 7])
  }

  @Test func `duplicates by identity are the same object`() {
    let emitter = EmitterArg<Witness>()
    let (trace, _) = emitter.signal.removeDuplicates(by: ===).traced()
    let first = Witness()
    let second = Witness()
    for witness in [first, first, second, first] { emitter.invoke(witness) }
    #expect(
      trace.elements.map(ObjectIdentifier.init)
        == [first, second, first].map { ObjectIdentifier($0) })
  }

  @Test func `comparing may emit`() {
    let emitter = emitter
    let isNested = Atomic(false)
    let (trace, _) = emitter.signal.removeDuplicates { last, new in
      if new == 2, !isNested.exchange(true, ordering: .relaxed) { emitter.invoke(3) }
      return last == new
    }.traced()
    for number in [1, 2] { emitter.invoke(number) }
    #expect(trace.elements == [1, 3, 2])
  }

  @Test func `scan under threads loses no payload`() {
    let emitter = emitter
    let (trace, _) = emitter.signal.scan(0) { $0 + $1 }.traced()
    together(4) { _ in for _ in 0..<500 { emitter.invoke(1) } }
    #expect(trace.elements.sorted() == Array(1...2000))
  }

  @Test func `a failed result is told apart`() {
    struct Failure: Error, Equatable { let code: Int }
    let emitter = EmitterArg<Result<Int, Failure>>()
    let (values, _) = emitter.signal.successes().traced()
    let (errors, _) = emitter.signal.failures().traced()
    emitter.invoke(.success(1))
    emitter.invoke(.failure(Failure(code: 2)))
    #expect(values.elements == [1])
    #expect(errors.elements == [Failure(code: 2)])
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
    #expect(await trace.elements(4) == ["2", "end 2", "3", "end 3"])
  }

  @Test func `a type-erased source behaves as the one that it holds`() {
    let source: any SignalSource<String> = emitter.signal.map { "\($0)" }
    let (trace, _) = source.traced()
    emitter.invoke(1)
    #expect(trace.elements == ["1"])
  }

  @Test func `a chain of values follows from count to emptiness`() {
    let text = EmitterValue<String?>(nil)
    let count = EmitterValue(-1)
    let isEmpty = EmitterValue(false)
    let sets = Trace<Bool>()
    isEmpty.signal.changes.connect({ sets.add($1) }, nil)
    text.signal.map { $0?.count ?? 0 }.bind(to: count)
    count.signal.map { $0 == 0 }.removeDuplicates().bind(to: isEmpty)
    text.set("abc")
    #expect(count.value == 3 && !isEmpty.value)
    text.set("ab")
    text.set("")
    #expect(count.value == 0 && isEmpty.value)
    #expect(sets.elements == [true, false, true])
  }
}

@Suite struct UserOperatorTests {
  /// Sends every `n`th payload.
  struct Every<Base: SignalSource>: SignalSource {
    let base: Base
    let n: Int

    func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
      let count = Counter()
      return base.attach(slot.compactAdapted { [n] in count.next() % n == 0 ? $0 : nil })
    }
  }

  final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
  }

  /// Tells of every connection.
  struct Announced<Base: SignalSource>: SignalSource {
    let base: Base
    let body: () -> Void

    func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
      defer { body() }
      return base.attach(slot)
    }
  }

  let emitter = EmitterArg<Int>()

  @Test func `users write operators the same way`() {
    let source = Every(base: emitter.signal, n: 2)
    let (first, _) = source.traced()
    emitter.invoke(1)
    let (second, _) = source.map { -$0 }.traced()
    for number in 2...5 { emitter.invoke(number) }
    #expect(first.elements == [2, 4])
    #expect(second.elements == [-3, -5])
  }

  @Test func `an operator may tell of every connection`() {
    var count = 0
    let source = Announced(base: emitter.signal) { count += 1 }
    source.connect({ _ in }, nil)
    source.map { $0 }.connect({ _ in }, nil)
    #expect(count == 2)
  }
}

@Suite struct PrefixTests {
  let emitter = EmitterArg<Int>()

  @Test func `a one-shot slot runs once and its connection ends`() {
    let (trace, observer) = emitter.signal.once().traced()
    #expect(!observer.isCancelled)
    emitter.invoke(1)
    #expect(observer.isCancelled)
    emitter.invoke(2)
    #expect(trace.elements == [1])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a one-shot slot that emits runs once`() {
    let emitter = emitter
    let trace = Trace<Int>()
    emitter.signal.once().connect(
      {
        trace.add($0)
        emitter.invoke($0 + 1)
      }, nil)
    emitter.invoke(1)
    #expect(trace.elements == [1])
  }

  @Test func `a one-shot slot runs once when threads emit at once`() {
    for _ in 0..<300 {
      let emitter = EmitterArg<Int>()
      let (trace, observer) = emitter.signal.once().traced()
      let (three, _) = emitter.signal.prefix(3).traced()
      together(3) { index in for _ in 0..<3 { emitter.invoke(index) } }
      #expect(trace.elements.count == 1 && observer.isCancelled)
      #expect(three.elements.count == 3)
      #expect(emitter.signal.slotCount == 0)
    }
  }

  @Test func `a one-shot slot on a queue runs once back to back`() {
    let queue = DispatchQueue(label: "once")
    let trace = Trace<Int>()
    let observer = emitter.signal.once().connect({ trace.add($0) }, queue)
    for number in 1...10 { emitter.invoke(number) }
    queue.sync {}
    #expect(trace.elements == [1])
    #expect(observer.isCancelled)
  }

  @Test func `a one-shot slot of a value is called with the current one only`() {
    let value = EmitterValue(1)
    let (trace, observer) = value.signal.once().traced()
    value.set(2)
    #expect(trace.elements == [1])
    #expect(observer.isCancelled)
  }

  @Test func `the task of a one-shot async slot is not cancelled while it runs`() async {
    let trace = Trace<Bool>()
    emitter.signal.once().connect { _ async in
      await Task.yield()
      trace.add(Task.isCancelled)
    }
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(await trace.elements(1) == [false])
  }

  @Test func `a prefix of nothing is cancelled from the start`() {
    let (trace, observer) = emitter.signal.prefix(0).traced()
    emitter.invoke(1)
    #expect(observer.isCancelled && trace.elements.isEmpty)
  }

  @Test func `both kinds of results end a one-shot`() {
    struct Failure: Error {}
    for result in [Result<Int, Failure>.success(1), .failure(Failure())] {
      let emitter = EmitterArg<Result<Int, Failure>>()
      let trace = Trace<Int>()
      emitter.signal.once().connect({ _ in trace.add(1) }, nil)
      emitter.invoke(result)
      emitter.invoke(result)
      #expect(trace.elements == [1])
    }
  }

  @Test func `a prefix ends at the first payload that is refused`() {
    let (trace, observer) = emitter.signal.prefix { $0 < 3 }.traced()
    for number in [1, 2, 3, 1] { emitter.invoke(number) }
    #expect(trace.elements == [1, 2])
    #expect(observer.isCancelled && emitter.signal.slotCount == 0)
  }

  @Test func `a prefix for a time ends then`() async {
    let clock = ManualClock()
    let (trace, observer) = emitter.signal.prefix(for: .seconds(2), clock: clock).traced()
    await clock.sleepers(1)
    emitter.invoke(1)
    clock.advance(by: .seconds(1))
    emitter.invoke(2)
    #expect(!observer.isCancelled)
    clock.advance(by: .seconds(1))
    while !observer.isCancelled { await Task.yield() }
    emitter.invoke(3)
    #expect(trace.elements == [1, 2])
  }

  @Test func `a prefix for a time that is cancelled does not wait for it`() async {
    let clock = ManualClock()
    let (_, observer) = emitter.signal.prefix(for: .seconds(2), clock: clock).traced()
    await clock.sleepers(1)
    observer.cancel()
    await clock.sleepers(0)
    #expect(emitter.signal.slotCount == 0)
  }
}
