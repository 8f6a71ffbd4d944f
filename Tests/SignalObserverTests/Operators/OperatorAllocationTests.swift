import CAllocationCount
import SignalObserver
import SignalObserverTesting
import Testing

/// A thousand emissions through each operator, and a thousand sets of a value, after one to set
/// things up.
@Suite(
  .serialized, .inTurn, .timeLimit(.minutes(5)), .enabled(if: allocation_count_is_available()),
  .optimised)
struct OperatorAllocationTests {
  /// An operator, through which the numbers from 1 on pass.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Signal<Int>) -> any SignalSource<Int>
    /// How many of the first 1001 numbers arrive at once.
    var arriving = 1001

    static let all = [
      Case(testDescription: "map") { $0.map { $0 * 2 } },
      Case(testDescription: "compactMap") { $0.compactMap { $0 * 2 } },
      Case(testDescription: "filter") { $0.filter { $0 > 0 } },
      Case(testDescription: "removeDuplicates") { $0.removeDuplicates() },
      Case(testDescription: "scan") { $0.scan(0) { $0 + $1 } },
      Case(testDescription: "reductions(into:)") { $0.reductions(into: 0) { $0 += $1 } },
      Case(testDescription: "zip") { $0.zip($0.map { $0 + 1 }).map { $0 + $1 } },
      Case(testDescription: "prefix(until:)") { $0.prefix(until: $0.filter { _ in false }) },
      Case(testDescription: "pairwise", apply: { $0.pairwise().map { $1 - $0 } }, arriving: 1000),
      Case(testDescription: "dropFirst", apply: { $0.dropFirst() }, arriving: 1000),
      Case(testDescription: "prefix") { $0.prefix(2000) },
      Case(testDescription: "prefix(while:)") { $0.prefix { $0 < 2000 } },
      Case(testDescription: "prefix(for:)") { $0.prefix(for: .seconds(1), clock: ManualClock()) },
      Case(testDescription: "merge") { merge($0, $0.filter { _ in false }) },
      // Both sides send, and the second one has sent nothing when the first one does for once.
      Case(
        testDescription: "combineLatest", apply: { combineLatest($0, $0).map { $0 + $1 } },
        arriving: 2001),
      Case(testDescription: "replay") { $0.replay(1) },
      Case(
        testDescription: "debounce",
        apply: { $0.debounce(for: .seconds(1), clock: ManualClock()) }, arriving: 0),
      Case(
        testDescription: "throttle",
        apply: { $0.throttle(for: .seconds(1), clock: ManualClock()) }, arriving: 1),
    ]
  }

  @Test(arguments: Case.all)
  func `an operator adds no allocation to an emission`(_ each: Case) {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    let observer = each.apply(emitter.signal).connect(on: .inline) { _ in counter.calls += 1 }
    emitter.invoke(1)
    // The second number begins the wait of `throttle`.
    emitter.invoke(2)
    let allocated = allocations { for number in 3...1001 { emitter.invoke(number) } }
    #expect(counter.calls == each.arriving)
    #expect(allocated == 0)
    observer.cancel()
  }

  @Test func `collect allocates for arrays alone`() {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    let observer = emitter.signal.collect(100).connect(on: .inline) { counter.calls += $0.count }
    emitter.invoke(1)
    let allocated = allocations { for number in 2...1000 { emitter.invoke(number) } }
    #expect(counter.calls == 1000)
    // An array grows from one element to 100 in eight steps.
    #expect(allocated <= 80)
    observer.cancel()
  }

  @Test func `delay allocates for many payloads at a time`() async {
    let emitter = EmitterArg<Int>()
    let clock = ManualClock()
    let (trace, observer) = emitter.signal.delay(for: .seconds(1), clock: clock).traced()
    for number in 1...1024 { emitter.invoke(number) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(1024) == Array(1...1024))
    emitter.invoke(0)
    let allocated = allocations { for number in 1...1000 { emitter.invoke(number) } }
    // It keeps them in chunks of 128.
    #expect(allocated <= 30)
    observer.cancel()
  }

  @Test func `setting a value allocates nothing`() {
    let value = EmitterValue(0)
    let counter = Counter()
    value.signal.connect(on: .inline) { _ in counter.calls += 1 }
    value.signal.changes.connect(on: .inline) { _, _ in counter.calls += 1 }
    value.value = 1
    let allocated = allocations {
      for number in 2...1000 {
        value.value = number
        value.modify { $0 += 1 }
      }
    }
    #expect(counter.calls == 1 + 2 * (1 + 2 * 999))
    #expect(allocated == 0)
  }

  private func allocations(_ body: () -> Void) -> Int {
    let before = allocation_count()
    body()
    return allocation_count() - before
  }
}

/// `@unchecked Sendable`: each test uses its own on one thread.
private final class Counter: @unchecked Sendable {
  var calls = 0
}
