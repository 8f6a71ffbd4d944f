import CAllocationCount
import SignalObserver
import Testing

@Suite(
  .serialized, .inTurn, .timeLimit(.minutes(5)), .enabled(if: allocation_count_is_available()),
  .optimised)
struct AllocationTests {
  /// Emits a thousand times, after once to set things up, and expects no allocation.
  private func expectNone(
    _ counter: Counter, _ location: SourceLocation = #_sourceLocation, emit: () -> Void
  ) {
    emit()
    let before = allocation_count()
    for _ in 0..<1000 { emit() }
    let allocated = allocation_count() - before

    #expect(counter.calls == 1001, sourceLocation: location)
    #expect(allocated == 0, sourceLocation: location)
  }

  @Test
  func `17. An inline emission allocates nothing on the heap, whatever the slot form: closure`() {
    let (emitter, counter) = (EmitterArg<Int>(), Counter())
    emitter.signal.connect(on: .inline) { _ in counter.called() }

    expectNone(counter) { emitter.invoke(1) }
  }

  @Test func `17. An inline emission allocates nothing: closure with a target`() {
    let (emitter, counter) = (EmitterArg<Int>(), Counter())
    emitter.signal.connect(counter, on: .inline) { counter, _ in counter.called() }

    expectNone(counter) { emitter.invoke(1) }
  }

  @Test func `17. An inline emission allocates nothing: method`() {
    let (emitter, counter) = (EmitterArg<Int>(), Counter())
    emitter.signal.connect(counter, Counter.add, .inline)

    expectNone(counter) { emitter.invoke(1) }
  }

  @Test func `17. An inline emission allocates nothing: method without parameters`() {
    let (emitter, counter) = (EmitterArg<String>(), Counter())
    emitter.signal.connect(counter, Counter.called, .inline)

    expectNone(counter) {
      emitter.invoke("a text that is too long to be stored in the string itself")
    }
  }

  @Test func `17. An inline emission allocates nothing: method with two parameters`() {
    let (emitter, counter) = (EmitterArg2<Int, String>(), Counter())
    emitter.signal.connect(counter, Counter.addBoth, .inline)

    expectNone(counter) { emitter.invoke(1, "one") }
  }

  @Test func `17. An inline emission allocates nothing: method that returns a value`() {
    let (emitter, counter) = (EmitterArg<Int>(), Counter())
    emitter.signal.connect(counter, Counter.sum, .inline)

    expectNone(counter) { emitter.invoke(1) }
  }

  @Test func `17. An inline emission allocates nothing: map`() {
    let (emitter, counter) = (EmitterArg<Int>(), Counter())
    emitter.signal.map(counter, Counter.addBoth, { ($0, "mapped") }, nil)

    expectNone(counter) { emitter.invoke(1) }
  }

  @MainActor
  @Test func `17. An emission to a main slot on the main actor allocates nothing`() {
    let (emitter, counter) = (EmitterArg<Int>(), Counter())
    emitter.signal.connect(counter, Counter.add)

    expectNone(counter) { emitter.invoke(1) }
  }

  @Test func `17. An inline emission allocates nothing: no slots, and many`() {
    let (emitter, counter) = (EmitterVoid(), Counter())
    let none = EmitterVoid()
    for _ in 0..<100 { emitter.signal.connect(on: .inline) {} }
    emitter.signal.connect(counter, Counter.called, .inline)

    expectNone(counter) {
      none.invoke()
      emitter.invoke()
    }
  }

  @Test func `an allocation is counted`() {
    let box = Box<[Int]>()
    let before = allocation_count()
    box.value = Array(0..<Int.random(in: 10...20))

    #expect(allocation_count() > before)
    #expect(box.value?.isEmpty == false)
  }
}

/// `@unchecked Sendable`: each test uses its own on one thread.
private final class Counter: @unchecked Sendable {
  private(set) var calls = 0

  @inline(never) func called() { calls += 1 }
  func add(_ value: Int) { called() }
  func addBoth(_ value: Int, _ text: String) { called() }
  func sum(_ value: Int) -> Int {
    called()
    return calls
  }
}
