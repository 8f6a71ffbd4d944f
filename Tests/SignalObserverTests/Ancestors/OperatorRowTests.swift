import Dispatch
import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing

/// The rows of operators; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OperatorRowTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  @Test func `A-F1: map adapts one argument and two for a method`() {
    let two = EmitterArg2<Int, [Int]>()
    let target = Target("target", log)
    emitter.signal.map(target, Target.show, { $0 + 1 }, nil)
    two.signal.map(target, Target.showBoth, { ($0, "\($1.count)") }, nil)
    emitter.invoke(1)
    two.invoke(7, [1, 2, 3])
    #expect(log.entries == ["target 2", "target 7 3"])
  }

  @Test func `A-F2: map makes a source, which is mapped and connected like a signal`() {
    let source = emitter.signal.map { $0 * 2 }
    let (doubled, _) = source.traced()
    let (texts, _) = source.map { "\($0)" }.traced()
    for number in 1...2 { emitter.invoke(number) }
    #expect(doubled.entries == [2, 4])
    #expect(texts.entries == ["2", "4"])
  }

  @Test func `A-F3: transforms run where the slot runs`() {
    let queue = DispatchQueue(label: "transforms")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let trace = Trace<Bool>()
    emitter.signal.map { _ in DispatchQueue.getSpecific(key: key) ?? false }
      .filter { _ in DispatchQueue.getSpecific(key: key) ?? false }
      .connect(on: queue) { trace.add($0) }
    emitter.invoke(1)
    queue.sync {}
    #expect(trace.entries == [true])
  }

  @Test func `A-F4: compactMap drops what is nil, and keeps an optional that is a value`() {
    let (numbers, _) = emitter.signal.compactMap { $0 > 1 ? $0 * 10 : nil }.traced()
    let (optionals, _) = emitter.signal.compactMap { $0 > 1 ? Int??.some(nil) : nil }.traced()
    for number in 1...3 { emitter.invoke(number) }
    #expect(numbers.entries == [20, 30])
    #expect(optionals.entries == [nil, nil])
  }

  @Test func `A-F5: the elements of a collection are mapped`() {
    let emitter = EmitterArg<[String]>()
    let (trace, _) = emitter.signal.map { $0.map { $0.count } }.traced()
    emitter.invoke(["ab", ""])
    emitter.invoke([])
    #expect(trace.entries == [[2, 0], []])
  }

  @Test func `A-F6: a filter looks at the old value and the new one`() {
    let value = EmitterValue(0)
    let (rising, _) = value.signal.changes.filter { old, new in new > old }.map { $1 }.traced()
    let (sent, _) = value.signal.removeDuplicates { last, new in new <= last }.traced()
    for number in [3, 1, 2, 4] { value.set(number) }
    #expect(rising.entries == [3, 2, 4])
    #expect(sent.entries == [0, 3, 4])
  }

  @Test func `A-F7: equal values are dropped`() {
    let (trace, _) = emitter.signal.removeDuplicates().traced()
    for number in [1, 1, 2, 2, 1] { emitter.invoke(number) }
    #expect(trace.entries == [1, 2, 1])
  }

  @Test func `A-F8: the same object is dropped`() {
    let emitter = EmitterArg<Lifetime>()
    let (trace, _) = emitter.signal.removeDuplicates(by: ===).traced()
    let (first, second) = (Lifetime(), Lifetime())
    for object in [first, first, second, first] { emitter.invoke(object) }
    #expect(
      trace.entries.map(ObjectIdentifier.init)
        == [first, second, first].map { ObjectIdentifier($0) })
  }

  @Test func `A-F9: throttle sends the first at once and then the newest`() async {
    let clock = ManualClock()
    let (trace, observer) = emitter.signal.throttle(for: .seconds(1), clock: clock).traced()
    for number in 1...5 { emitter.invoke(number) }
    #expect(trace.entries == [1])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(2) == [1, 5])
    emitter.invoke(6)
    #expect(trace.entries == [1, 5])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(3) == [1, 5, 6])
    observer.cancel()
  }

  @Test func `A-F10: sources of the same payload are merged`() {
    let south = EmitterArg<Int>()
    let (trace, observer) = merge(emitter.signal, south.signal.map { -$0 }).traced()
    emitter.invoke(1)
    south.invoke(2)
    emitter.invoke(3)
    observer.cancel()
    south.invoke(4)
    #expect(trace.entries == [1, -2, 3])
    #expect(emitter.signal.slotCount == 0)
    #expect(south.signal.slotCount == 0)
  }

  @Test func `A-F11: the latest of two, three and four sources are sent as a tuple`() {
    let (name, south) = (EmitterValue("n"), EmitterArg<Int>())
    let (two, _) = combineLatest(name.signal, emitter.signal).map { "\($0) \($1)" }.traced()
    let (three, _) = combineLatest(name.signal, emitter.signal, south.signal)
      .map { "\($0) \($1) \($2)" }.traced()
    let (four, _) = combineLatest(name.signal, emitter.signal, south.signal, name.signal)
      .map { "\($0) \($1) \($2) \($3)" }.traced()
    emitter.invoke(1)
    south.invoke(2)
    name.set("m")
    #expect(two.entries == ["n 1", "m 1"])
    #expect(three.entries == ["n 1 2", "m 1 2"])
    #expect(four.entries == ["n 1 2 n", "m 1 2 n", "m 1 2 m"])
  }

  @Test func `A-F12: users write operators the same way`() {
    let source = Every(base: emitter.signal, n: 2)
    let (first, _) = source.traced()
    emitter.invoke(1)
    let (second, _) = source.map { -$0 }.traced()
    for number in 2...5 { emitter.invoke(number) }
    #expect(first.entries == [2, 4])
    #expect(second.entries == [-3, -5])
  }

  @Test func `A-F13: map changes the number of arguments`() {
    let nothing = EmitterVoid()
    let target = Target("target", log)
    nothing.signal.map { 7 }.map { ($0, "seven") }.connect(target, Target.showBoth, nil)
    nothing.signal.map { 7 }.connect(target, Target.called, nil)
    nothing.signal.map(target, Target.show, { 8 }, nil)
    nothing.invoke()
    #expect(log.entries == ["target 7 seven", "target", "target 8"])
  }

  /// Sends every `n`th payload.
  private struct Every<Base: SignalSource>: SignalSource {
    let base: Base
    let n: Int

    func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
      let count = Counter()
      return base.attach(slot.compactAdapted { [n] in count.next() % n == 0 ? $0 : nil })
    }
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
  }
}
