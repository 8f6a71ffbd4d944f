import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing

@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct NextTests {
  @Test func `next returns the next payload and leaves no slot behind`() async {
    let source = Source<Int>()
    let next = await begun { await source.sent.next() }
    #expect(source.sent.slotCount == 1)
    source.send(1)
    source.send(2)

    #expect(await next.value == 1)
    #expect(source.sent.slotCount == 0)
  }

  @Test func `next is connected before it suspends`() async {
    // Both are on one actor, so the sender has its turn when `next` has suspended.
    let received = await sendWhileWaiting()

    #expect(received == 1)
  }

  @Test func `next of a value is the current one`() async {
    let value = EmitterValue(1)

    #expect(await value.signal.next() == 1)
  }

  @Test func `next returns nil when the task is cancelled`() async {
    let source = Source<Int>()
    let task = await begun { await source.sent.next() }
    task.cancel()

    #expect(await task.value == nil)
    #expect(source.sent.slotCount == 0)
  }

  @Test func `next returns nil in a task that is cancelled already`() async {
    let source = Source<Int>()
    let gate = AsyncGate()
    let task = Task {
      await gate.wait()
      return await source.sent.next()
    }
    task.cancel()
    gate.open()

    #expect(await task.value == nil)
    #expect(source.sent.slotCount == 0)
  }

  @Test func `next returns nil when the emitter dies`() async {
    let source = Source<Int>()
    let task = await begun { await source.sent.next() }
    source.end()

    #expect(await task.value == nil)
  }

  @Test func `next of a filter returns the first payload that satisfies the condition`() async {
    let source = Source<Int>()
    let seen = Trace<Int>()
    let task = await begun {
      await source.sent.filter { payload in
        seen.add(payload)
        return payload > 2
      }.next()
    }
    for payload in 1...3 { source.send(payload) }

    #expect(await task.value == 3)
    #expect(seen.entries == [1, 2, 3])
    #expect(source.sent.slotCount == 0)
  }

  @Test func `a cancellation that races with a payload returns one or the other`() async {
    let source = Source<Int>()
    for _ in 0..<500 {
      let task = Task { await source.sent.next() }
      await runTogether([{ task.cancel() }, { source.send(1) }])

      #expect([nil, 1].contains(await task.value))
    }
    #expect(source.sent.slotCount == 0)
  }

  @Test func `next leaves no timer behind when a payload is sent in time`() async {
    let clock = ManualClock()
    let emitter = EmitterArg<Int>()
    let next = Task { await emitter.signal.next(timeout: .seconds(1), clock: clock) }
    await clock.waitForSleepers(1)
    emitter.invoke(1)
    #expect(await next.value == 1)

    await until("nobody sleeps") { clock.sleeperCount == 0 }
    clock.advance(by: .seconds(1))
  }

  @Test func `next times out while a payload is still on its way`() async {
    let clock = ManualClock()
    let emitter = EmitterArg<Int>()
    let (entered, gate) = (Gate(), Gate())
    let slow = emitter.signal.map { number in
      entered.open()
      gate.pass()
      return number
    }
    let result = Trace<Int?>()
    let next = Task { result.add(await slow.next(timeout: .seconds(1), clock: clock)) }
    await clock.waitForSleepers(1)
    let emission = RunningThread { emitter.invoke(1) }
    entered.pass()
    clock.advance(by: .seconds(1))
    let results = await result.entries(1)
    gate.open()
    emission.join()
    await next.value

    #expect(results == [nil])
  }
}

@MainActor private func sendWhileWaiting() async -> Int? {
  let source = Source<Int>()
  Task { @MainActor in source.send(1) }
  return await source.sent.next()
}
