import SignalObserver
import SignalObserverTesting
import Testing

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

  @Test func `reductions(into:) under threads takes in every payload once, in turn`() async {
    let emitter = emitter
    let (trace, _) = emitter.signal.reductions(into: 0) { $0 += $1 }.traced()
    onThreads(4) { _ in for _ in 0..<500 { emitter.invoke(1) } }
    // A global queue may deliver the last ones, after the threads have ended.
    #expect(await trace.entries(2000) == Array(1...2000))
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
}
