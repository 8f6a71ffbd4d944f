import SignalObserver
import SignalObserverTesting
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ManySourcesTests {
  let emitters = (0..<3).map { _ in EmitterArg<Int>() }

  @Test func `merge takes any number of sources`() {
    let (trace, observer) = merge(emitters.map(\.signal)).traced()
    let mixed: [any SignalSource<Int>] = [emitters[0].signal, emitters[1].signal.map { -$0 }]
    let (other, otherObserver) = merge(mixed).traced()

    for (index, emitter) in emitters.enumerated() { emitter.invoke(index) }

    #expect(trace.entries == [0, 1, 2])
    #expect(other.entries == [0, -1])
    for observer in [observer, otherObserver] { observer.cancel() }
    #expect(emitters.allSatisfy { $0.signal.slotCount == 0 })
  }

  /// A source that attaches one slot to two signals.
  private struct Both: SignalSource {
    let first, second: SignalArg<Int>

    func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
      _ = first.attach(slot)
      return second.attach(slot)
    }
  }

  @Test func `an asynchronous slot behind scan that is attached twice gets all from both`() async {
    let (trace, entered, mayGo) = (Trace<Int>(), Gate(), Gate())
    let (first, second) = (emitters[0], emitters[1])
    Both(first: first.signal, second: second.signal)
      .scan(0) { count, number in
        if number == 0 {
          entered.open()
          mayGo.pass()
        }
        return count + 1
      }
      .connect { count async in trace.add(count) }
    first.invoke(0)
    await onThread { entered.pass() }
    // More than a thread does for others.
    for number in 1...200 { second.invoke(number) }
    await until("the second to be taken") { second.signal.connections[0].pendingCount == 0 }
    mayGo.open()
    #expect(await trace.entries(201) == Array(1...201))

    // Now either may call the slot with what the other one has sent.
    for number in 1...200 { [first, second].forEach { $0.invoke(number) } }
    #expect(await trace.entries(601).sorted() == Array(1...601))
  }

  @Test func `flatMapLatest takes values and chains, and begins with what is current`() {
    let (chosen, values) = (EmitterValue(0), [EmitterValue(1), EmitterValue(2)])
    let (trace, observer) = chosen.signal
      .flatMapLatest { index in values[index].signal.map { $0 * 10 } }.traced()
    values[0].set(3)
    chosen.set(1)
    values[0].set(4)
    values[1].set(5)
    #expect(trace.entries == [10, 30, 20, 50])
    observer.cancel()
    #expect(values.allSatisfy { $0.signal.slotCount == 0 })
    #expect(chosen.signal.slotCount == 0)
  }

  @Test func `switchToLatest of a value of values ends on the new one`() {
    let values = [EmitterValue(1), EmitterValue(2)]
    let sources = EmitterValue(values[0].signal)
    let (trace, observer) = sources.signal.switchToLatest().traced()
    defer { observer.cancel() }
    // A slot of the first source switches to the second one.
    values[0].signal.connect(on: .inline) { if $0 == 7 { sources.set(values[1].signal) } }
    values[0].set(7)
    values[0].set(8)
    values[1].set(9)
    #expect(trace.entries == [1, 7, 2, 9])
    // A slot of it holds it.
    values[0].cancelAllObservers()
  }

  @Test func `combineLatest takes any number of sources`() {
    let (trace, observer) = combineLatest(emitters.lazy.map(\.signal)).traced()
    let mixed: [any SignalSource<Int>] = [emitters[2].signal, emitters[1].signal.map { -$0 }]
    let (other, otherObserver) = combineLatest(mixed).traced()

    for (index, emitter) in emitters.enumerated() { emitter.invoke(index) }
    emitters[0].invoke(7)

    #expect(trace.entries == [[0, 1, 2], [7, 1, 2]])
    #expect(other.entries == [[2, -1]])
    for observer in [observer, otherObserver] { observer.cancel() }
    #expect(emitters.allSatisfy { $0.signal.slotCount == 0 })
  }

  @Test func `a merge of no source has ended`() {
    #expect(merge([Signal<Int>]()).traced().1.isCancelled)
  }

  @Test func `combineLatest of no source sends an empty array, and stays connected`() {
    final class Target: Sendable {
      let trace = Trace<[Int]>()
      func receive(_ numbers: [Int]) { trace.add(numbers) }
    }
    let (trace, observer) = combineLatest([Signal<Int>]()).traced()
    #expect(trace.entries == [[]])
    #expect(!observer.isCancelled)
    observer.cancel()
    #expect(observer.isCancelled)

    var target: Target? = Target()
    let other = combineLatest([Signal<Int>]()).connect(target!, Target.receive, .inline)
    #expect(target!.trace.entries == [[]])
    target = nil
    #expect(other.isCancelled)
  }

  @Test func `combineLatest of many ends on the latest of all whichever threads emit`() async {
    for _ in 0..<100 {
      let values = (0..<3).map { EmitterValue($0) }
      let (trace, _) = combineLatest(values.map(\.signal)).traced()
      onThreads(3) { index in for number in 1...30 { values[index].set(number) } }
      #expect(await trace.entries(91).last == [30, 30, 30])
    }
  }
}
