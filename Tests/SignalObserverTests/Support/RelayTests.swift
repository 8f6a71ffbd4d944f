import SignalObserverTesting
import Testing

@testable import SignalObserver
import Turns

/// What the sources that are put together leave behind.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct RelayTests {
  final class Target: Sendable {}

  let first = EmitterArg<Int>()
  let second = EmitterArg<Int>()

  private func connect(
    _ source: any SignalSource<Int>, _ target: Target, _ capture: Lifetime
  ) -> SignalObserver {
    source.connect(target, on: .inline) { [capture] _, _ in capture.use() }
  }

  @Test(arguments: ["merge", "combineLatest"])
  func `9. A dead target that one source notices releases what the others hold`(_ name: String) {
    let source: any SignalSource<Int> =
      name == "merge"
      ? merge(first.signal, second.signal)
      : combineLatest(first.signal, second.signal).map { $0 + $1 }
    var target: Target? = Target()
    var capture: Lifetime? = Lifetime()
    @Weakly var captured = capture
    let observer = connect(source, target!, capture!)
    capture = nil
    #expect(captured != nil)

    target = nil
    first.invoke(1)

    #expect(captured == nil)
    #expect(observer.isCancelled)
    #expect(second.signal.slotCount == 0)
  }

  @Test func `9. A look at a signal notices a dead target behind replay`() {
    var target: Target? = Target()
    var capture: Lifetime? = Lifetime()
    @Weakly var captured = capture
    let observer = connect(merge(first.signal, second.signal).replay(1), target!, capture!)
    capture = nil
    target = nil

    #expect(first.signal.slotCount == 0)
    #expect(captured == nil)
    #expect(observer.isCancelled)
    #expect(second.signal.slotCount == 0)
  }

  @Test func `9. A slot that ends before its turn releases what a replay has for it`() {
    let (emitter, census, alive) = (EmitterArg<Lifetime>(), Census(), Trace<Int>())
    let recent = emitter.signal.replay(2)
    recent.dropFirst().connect(on: .inline) { _ in
      guard alive.entries.isEmpty else { return }
      // Its turn is after this call. The replay drops the oldest payload before that.
      let late = Box<SignalObserver>()
      RunningThread {
        late.value = recent.connect(on: .inline) { _ in Issue.record("a slot was called") }
        emitter.invoke(census.member())
      }.join()
      alive.add(census.alive)
      late.value?.cancel()
      alive.add(census.alive)
    }
    for _ in 0..<2 { emitter.invoke(census.member()) }

    #expect(alive.entries == [3, 2])
  }

  @Test(arguments: ["debounce", "throttle", "delay"])
  func `9. Cancelling releases what an operator of time keeps`(_ name: String) async {
    let emitter = EmitterArg<Lifetime>()
    let (clock, second) = (ManualClock(), Duration.seconds(1))
    let source: any SignalSource<Lifetime> =
      switch name {
      case "debounce": emitter.signal.debounce(for: second, clock: clock)
      case "throttle": emitter.signal.throttle(for: second, clock: clock)
      default: emitter.signal.delay(for: second, clock: clock)
      }
    let observer = source.connect(on: .inline) { $0.use() }
    let census = Census()
    for _ in 0..<3 { emitter.invoke(census.member()) }
    await clock.waitForSleepers(1)
    #expect(census.alive > 0)

    observer.cancel()

    #expect(census.alive == 0)
  }

  /// A slot for values reads the new value at the address of a change.
  @Test func `the new value is at the beginning of a change`() {
    #expect(MemoryLayout<ValueChange<Int>>.offset(of: \.new) == 0)
    #expect(MemoryLayout<ValueChange<String?>>.offset(of: \.new) == 0)
    #expect(MemoryLayout<ValueChange<(UInt8, [Int])>>.offset(of: \.new) == 0)
  }
}
