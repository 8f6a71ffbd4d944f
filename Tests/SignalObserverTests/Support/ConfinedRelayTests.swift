import SignalObserverTesting
import Testing

@testable import SignalObserver

/// What is put together of signals whose payloads are not `Sendable`.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ConfinedRelayTests {
  private typealias Tally = DomainTests.Tally
  private typealias Held = DomainTests.Held

  private let emitter = EmitterArg<Tally>()
  private let tally = Tally()

  /// Connects behind `merge`, which has slots of its own.
  private func connectMerged(_ other: EmitterArg<Tally>) -> SignalObserver {
    let held = Held(tally)
    return merge(emitter.signal, other.signal).connect { (_: Tally) in _ = held }
  }

  @Test func `9. Cancelled behind merge, a capture that is not Sendable waits for an emission`() {
    let other = EmitterArg<Tally>()
    let observer = connectMerged(other)
    observer.cancel()
    #expect(tally.released == 0)

    emitter.invoke(tally)

    #expect(tally.released == 1)
    #expect(emitter.signal.slotCount == 0)
    #expect(other.signal.slotCount == 0)
  }

  @Test
  func `9. Cancelled behind merge, no closure of an operator is called, and a capture is released`()
  {
    let (other, calls) = (EmitterArg<Tally>(), Trace<Int>())
    let observer = connectFiltered(other, calls)
    observer.cancel()

    emitter.invoke(tally)

    #expect(calls.entries.isEmpty)
    #expect(tally.released == 1)
    #expect(other.signal.slotCount == 0)
  }

  private func connectFiltered(
    _ other: EmitterArg<Tally>, _ calls: Trace<Int>
  ) -> SignalObserver {
    let held = Held(tally)
    let none = emitter.signal.filter { _ in
      calls.add(1)
      return false
    }
    return merge(none, other.signal).connect { (_: Tally) in _ = held }
  }

  @Test func `9. Behind merge, what ends its source elsewhere releases a capture in the domain`() {
    let stop = EmitterVoid()
    connectUntil(stop.signal)
    RunningThread { stop.invoke() }.join()
    #expect(tally.released == 0)

    #expect(emitter.signal.slotCount == 0)

    #expect(tally.released == 1)
  }

  private func connectUntil(_ stop: Signal<Void>) {
    let held = Held(tally)
    merge([emitter.signal.prefix(until: stop)]).connect { (_: Tally) in _ = held }
  }

  @Test func `9. Cancelled behind two merges, a capture is released by slotCount`() {
    let (first, second) = (EmitterArg<Tally>(), EmitterArg<Tally>())
    let observer = merged(first, second)
    observer.cancel()

    #expect(first.signal.slotCount == 0)
    #expect(tally.released == 1)
    #expect(second.signal.slotCount == 0)
    #expect(emitter.signal.slotCount == 0)
  }

  private func merged(_ first: EmitterArg<Tally>, _ second: EmitterArg<Tally>) -> SignalObserver {
    let held = Held(tally)
    return merge(merge(first.signal, second.signal).filter { _ in true }, emitter.signal)
      .connect { (_: Tally) in _ = held }
  }

  @Test func `9. Cancelled behind replay, a capture is released by slotCount`() {
    let observer = replayed()
    observer.cancel()

    #expect(emitter.signal.slotCount == 0)
    #expect(tally.released == 1)
  }

  private func replayed() -> SignalObserver {
    let held = Held(tally)
    return emitter.signal.replay(1).connect { (_: Tally) in _ = held }
  }

  @Test
  func `9. A slot behind merge that ends itself releases what is not Sendable when it returns`() {
    let other = EmitterArg<Tally>()
    connectOnce(other)
    emitter.invoke(tally)

    #expect(tally.released == 1)
    #expect(emitter.signal.slotCount == 0)
    #expect(other.signal.slotCount == 0)
  }

  private func connectOnce(_ other: EmitterArg<Tally>) {
    let held = Held(tally)
    merge(emitter.signal, other.signal).prefix(1).connect { (_: Tally) in _ = held }
  }

  @Test
  func `9. Behind merge, a dead target that one source notices releases what is not Sendable`() {
    let other = EmitterArg<Tally>()
    var target: Held? = Held(tally)
    let observer = target.map { connectMerged(other, $0) }
    target = nil
    #expect(tally.released == 1)

    emitter.invoke(tally)

    #expect(tally.released == 2)
    #expect(observer?.isCancelled == true)
    #expect(other.signal.slotCount == 0)
  }

  private func connectMerged(_ other: EmitterArg<Tally>, _ target: Held) -> SignalObserver {
    let held = Held(tally)
    return merge(emitter.signal, other.signal).connect(target) { (_: Held, _: Tally) in _ = held }
  }
}
