import SignalObserver
import SignalObserverTesting
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ZipTests {
  @Test func `zip sends pairs in order, whichever side is ahead`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let (trace, observer) = first.signal.zip(second.signal).map { [$0, $1] }.traced()
    for number in 1...3 { first.invoke(number) }
    for number in 10...14 { second.invoke(number) }
    first.invoke(4)
    #expect(trace.entries == [[1, 10], [2, 11], [3, 12], [4, 13]])
    observer.cancel()
    #expect(first.signal.slotCount + second.signal.slotCount == 0)
  }

  @Test func `zip of three sends triples`() {
    let emitters = (0..<3).map { _ in EmitterArg<Int>() }
    let signals = emitters.map(\.signal)
    let (trace, _) = signals[0].zip(signals[1], signals[2]).map { [$0, $1, $2] }.traced()
    for number in 1...2 { for emitter in emitters { emitter.invoke(number) } }
    emitters[0].invoke(3)
    emitters[2].invoke(3)
    #expect(trace.entries == [[1, 1, 1], [2, 2, 2]])
  }

  @Test func `zip of values begins with their current values`() {
    let (first, second) = (EmitterValue(1), EmitterValue(2))
    let (trace, _) = first.signal.zip(second.signal).map { [$0, $1] }.traced()
    first.set(3)
    second.set(4)
    #expect(trace.entries == [[1, 2], [3, 4]])
  }

  @Test func `zip ends when a side can send nothing more`() {
    var first: EmitterArg<Int>? = EmitterArg<Int>()
    let second = EmitterArg<Int>()
    let (trace, observer) = first!.signal.zip(second.signal).map { [$0, $1] }.traced()
    for number in 1...2 { first!.invoke(number) }
    first = nil
    #expect(!observer.isCancelled)
    second.invoke(10)
    #expect(!observer.isCancelled)
    second.invoke(11)
    #expect(observer.isCancelled)
    second.invoke(12)
    #expect(trace.entries == [[1, 10], [2, 11]])
    #expect(second.signal.slotCount == 0)
  }

  @Test func `zip ends at once when a side without waiting payloads dies, or is dead`() {
    var first: EmitterArg<Int>? = EmitterArg<Int>()
    let second = EmitterArg<Int>()
    let dead = first!.signal
    let observer = dead.zip(second.signal).connect(on: .inline) { _, _ in }
    second.invoke(10)
    #expect(!observer.isCancelled)
    first = nil
    #expect(observer.isCancelled)
    #expect(dead.zip(second.signal).connect(on: .inline) { _, _ in }.isCancelled)
    #expect(second.signal.zip(dead).connect(on: .inline) { _, _ in }.isCancelled)
    #expect(second.signal.slotCount == 0)
  }

  @Test func `a pair that is made while the observer is suspended is dropped`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let (trace, observer) = first.signal.zip(second.signal).map { [$0, $1] }.traced()
    first.invoke(1)
    observer.suspend()
    second.invoke(10)
    first.invoke(2)
    observer.resume()
    second.invoke(11)
    #expect(trace.entries == [[2, 11]])
  }

  @Test func `zip under threads pairs all payloads, each once`() async {
    let emitters = [EmitterArg<Int>(), EmitterArg<Int>()]
    let (trace, _) = emitters[0].signal.zip(emitters[1].signal).map { [$0, $1] }.traced()
    onThreads(2) { index in for number in 0..<2000 { emitters[index].invoke(number) } }
    // A global queue may deliver the last ones, after the threads have ended.
    #expect(await trace.entries(2000) == (0..<2000).map { [$0, $0] })
  }

  @Test func `zip releases the payloads that wait when the connection ends`() {
    let (first, second) = (EmitterArg<Lifetime>(), EmitterArg<Int>())
    let observer = first.signal.zip(second.signal).connect(on: .inline) { _, _ in }
    weak var waiting: Lifetime?
    do {
      let payload = Lifetime()
      waiting = payload
      first.invoke(payload)
    }
    #expect(waiting != nil)
    observer.cancel()
    #expect(waiting == nil)
  }

  @Test func `a slot of a pair may emit to both sides`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let trace = Trace<[Int]>()
    let observer = first.signal.zip(second.signal).connect(on: .inline) { [first, second] in
      trace.add([$0, $1])
      guard $0 < 3 else { return }
      first.invoke($0 + 1)
      second.invoke($1 + 1)
    }
    first.invoke(1)
    second.invoke(11)
    observer.cancel()
    #expect(trace.entries == [[1, 11], [2, 12], [3, 13]])
  }
}
