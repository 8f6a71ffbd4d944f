import Testing

@testable import SignalObserver

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
    weak let captured = capture
    let observer = connect(source, target!, capture!)
    capture = nil
    #expect(captured != nil)

    target = nil
    first.invoke(1)

    #expect(captured == nil)
    #expect(observer.isCancelled)
    #expect(second.signal.slotCount == 0)
  }

  /// A slot for values reads the new value at the address of a change.
  @Test func `the new value is at the beginning of a change`() {
    #expect(MemoryLayout<ValueChange<Int>>.offset(of: \.new) == 0)
    #expect(MemoryLayout<ValueChange<String?>>.offset(of: \.new) == 0)
    #expect(MemoryLayout<ValueChange<(UInt8, [Int])>>.offset(of: \.new) == 0)
  }
}
