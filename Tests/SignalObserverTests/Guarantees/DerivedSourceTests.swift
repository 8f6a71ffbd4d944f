import SignalObserver
import Testing

/// A chain of operators whose transforms each hold an object that is counted.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class DerivedSourceTests {
  let census = Census()
  let trace = Trace<Int>()
  private var first: EmitterArg<Int>? = EmitterArg<Int>()
  private var second: EmitterArg<Int>? = EmitterArg<Int>()
  private weak var replay: SignalReplay<Int>?

  /// A transform that holds an object.
  private func holding<Input, Output>(
    _ transform: @escaping @Sendable (Input) -> Output
  ) -> @Sendable (Input) -> Output {
    let part = census.member()
    return {
      part.use()
      return transform($0)
    }
  }

  private func chain(_ first: Signal<Int>, _ second: Signal<Int>) -> some SignalSource<Int> {
    let (sum, same) = (holding { $0 as Int }, holding { $0 as Bool })
    let merged = merge(
      first.map(holding { $0 * 10 }), second.filter(holding { $0 > 0 }),
      second.compactMap(holding { $0 < 0 ? -$0 : nil }))
    return merged.scan(0) { sum($0 + $1) }.removeDuplicates { same($0 == $1) }
      .prefix(while: holding { $0 < 1000 })
  }

  /// Connects the trace at the end of a chain with a replay, and drops everything but the observer.
  private func connect() throws -> SignalObserver {
    let (first, second) = (try #require(first), try #require(second))
    let replay = chain(first.signal, second.signal).replay(1)
    self.replay = replay
    return replay.map { -$0 }.connect(on: .inline) { [trace] in trace.add($0) }
  }

  @Test func `20. Without the operators and the sources between, the end keeps the chain`() throws {
    _ = try connect()
    #expect(census.alive == 6)
    #expect(replay != nil)

    first?.invoke(1)
    for number in [0, 5, -2] { second?.invoke(number) }
    first?.invoke(0)
    first?.invoke(3)

    #expect(trace.entries == [-10, -15, -17, -47])
  }

  @Test func `20. Cancelling the end releases every transform and every source of the chain`()
    throws
  {
    let observer = try connect()
    first?.invoke(1)

    observer.cancel()

    #expect(census.alive == 0)
    #expect(replay == nil)
    #expect(first?.signal.slotCount == 0)
    #expect(second?.signal.slotCount == 0)
  }

  @Test func `20. The chain ends with the last of its emitters, and is released`() throws {
    let observer = try connect()

    first = nil
    #expect(!observer.isCancelled)
    second?.invoke(1)
    second = nil

    #expect(observer.isCancelled)
    #expect(census.alive == 0)
    #expect(replay == nil)
    #expect(trace.entries == [-1])
  }

  @Test func `20. An operator that nobody connects connects to no source`() throws {
    let (first, second) = (try #require(first), try #require(second))
    let source = chain(first.signal, second.signal)

    #expect(first.signal.slotCount == 0)
    #expect(second.signal.slotCount == 0)
    source.connect(on: .inline) { _ in }.cancel()
    #expect(first.signal.slotCount == 0)
    #expect(second.signal.slotCount == 0)
  }
}
