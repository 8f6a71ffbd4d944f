import SignalObserver
import Testing

@Suite struct TimeTests {
  let emitter = EmitterArg<Int>()
  let clock = ManualClock()

  @Test func `debounce sends the newest when it is quiet`() async {
    let (trace, _) = emitter.signal.debounce(for: .seconds(2), clock: clock).traced()
    emitter.invoke(1)
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    emitter.invoke(2)
    clock.advance(by: .seconds(1))
    await clock.sleepers(1)
    #expect(trace.elements.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(await trace.elements(1) == [2])
    emitter.invoke(3)
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    #expect(await trace.elements(2) == [2, 3])
  }

  @Test func `throttle sends the first at once and then the newest`() async {
    let (trace, _) = emitter.signal.throttle(for: .seconds(1), clock: clock).traced()
    for number in 1...5 { emitter.invoke(number) }
    #expect(trace.elements == [1])
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.elements(2) == [1, 5])
    await clock.sleepers(1)
    emitter.invoke(6)
    #expect(trace.elements == [1, 5])
    clock.advance(by: .seconds(1))
    #expect(await trace.elements(3) == [1, 5, 6])
  }

  @Test func `throttle begins anew after a quiet time`() async {
    let (trace, _) = emitter.signal.throttle(for: .seconds(1), clock: clock).traced()
    emitter.invoke(1)
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    await clock.sleepers(0)
    while trace.elements.count < 2 {
      // The wait ends a moment after its sleep; until then this is one that has to wait.
      emitter.invoke(2)
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(trace.elements.prefix(2) == [1, 2])
  }

  @Test func `throttle never sends an older payload after a newer one`() async {
    for _ in 0..<50 {
      let (value, clock) = (EmitterValue(0), ManualClock())
      let (trace, observer) = value.signal.throttle(for: .seconds(1), clock: clock).traced()
      together(2) { index in
        for number in 1...50 {
          if index == 0 { value.set(number) } else { clock.advance(by: .seconds(1)) }
        }
      }
      while trace.elements.last != 50 {
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
      #expect(trace.elements == trace.elements.sorted())
      observer.cancel()
    }
  }

  @Test func `delay sends every payload later, in order`() async {
    let (trace, _) = emitter.signal.delay(for: .seconds(2), clock: clock).traced()
    emitter.invoke(1)
    emitter.invoke(2)
    clock.advance(by: .seconds(1))
    emitter.invoke(3)
    await clock.sleepers(1)
    #expect(trace.elements.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(await trace.elements(2) == [1, 2])
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.elements(3) == [1, 2, 3])
  }

  private func sources() -> [any SignalSource<Int>] {
    [
      emitter.signal.debounce(for: .seconds(1), clock: clock),
      emitter.signal.delay(for: .seconds(1), clock: clock),
      emitter.signal.throttle(for: .seconds(1), clock: clock).dropFirst(),
    ]
  }

  @Test(arguments: 0..<3) func `cancelling releases what is pending`(_ index: Int) async {
    let emitter = EmitterArg<Witness>()
    let sources: [any SignalSource<Witness>] = [
      emitter.signal.debounce(for: .seconds(1), clock: clock),
      emitter.signal.delay(for: .seconds(1), clock: clock),
      emitter.signal.throttle(for: .seconds(1), clock: clock).dropFirst(),
    ]
    let observer = sources[index].connect({ _ in Issue.record("a slot was called") }, nil)
    emitter.invoke(Witness())
    weak var pending: Witness?
    do {
      let witness = Witness()
      pending = witness
      emitter.invoke(witness)
    }
    await clock.sleepers(1)
    #expect(pending != nil)
    observer.cancel()
    await clock.sleepers(0)
    while pending != nil { await Task.yield() }
    #expect(emitter.signal.slotCount == 0)
  }

  @Test(arguments: 0..<3) func `what is pending when the emitter dies is sent`(_ index: Int) async {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let signal = emitter!.signal
    let sources: [any SignalSource<Int>] = [
      signal.debounce(for: .seconds(1), clock: clock),
      signal.delay(for: .seconds(1), clock: clock),
      signal.throttle(for: .seconds(1), clock: clock).dropFirst(),
    ]
    let (trace, observer) = sources[index].traced()
    if index == 2 { emitter?.invoke(0) }
    emitter?.invoke(1)
    await clock.sleepers(1)
    emitter = nil
    #expect(!observer.isCancelled)
    clock.advance(by: .seconds(1))
    #expect(await trace.elements(1) == [1])
    while !observer.isCancelled {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
  }

  @Test(arguments: 0..<3)
  func `what is emitted while suspended does not come due`(_ index: Int) async {
    let (trace, observer) = sources()[index].traced()
    observer.suspend()
    emitter.invoke(1)
    observer.resume()
    emitter.invoke(2)
    emitter.invoke(3)
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    let count = index == 1 ? 2 : 1
    #expect(await trace.elements(count) == (index == 1 ? [2, 3] : [3]))
  }

  @Test(arguments: 0..<3)
  func `connections do not share what is pending`(_ index: Int) async {
    let source = sources()[index]
    let (first, _) = source.traced()
    emitter.invoke(1)
    let (second, _) = source.traced()
    emitter.invoke(2)
    emitter.invoke(3)
    await clock.sleepers(2)
    clock.advance(by: .seconds(1))
    #expect(await first.elements(index == 1 ? 3 : 1) == (index == 1 ? [1, 2, 3] : [3]))
    #expect(await second.elements(index == 1 ? 2 : 1) == (index == 1 ? [2, 3] : [3]))
  }

  @Test func `a target that dies while a payload is pending is not kept and not called`() async {
    final class Target: Sendable { func receive(_ number: Int) { Issue.record("called") } }
    var target: Target? = Target()
    weak let kept = target
    emitter.signal.delay(for: .seconds(1), clock: clock).connect(target!, Target.receive, nil)
    emitter.invoke(1)
    await clock.sleepers(1)
    target = nil
    #expect(kept == nil)
    emitter.invoke(2)
    #expect(emitter.signal.slotCount == 0)
    clock.advance(by: .seconds(1))
    await clock.sleepers(0)
  }
}
