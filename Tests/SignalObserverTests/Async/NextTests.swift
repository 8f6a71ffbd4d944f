import SignalObserverTesting
import Synchronization
import Testing

@testable import SignalObserver

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

/// Acting and waiting for what that has sent.
@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct NextAfterTests {
  struct Refused: Error {}

  /// It is not `Sendable`.
  final class Counter { var count = 0 }

  @Test func `next returns what is sent while its closure runs`() async {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    let payload = await emitter.signal.next {
      counter.count += 1
      emitter.invoke(7)
      emitter.invoke(8)
    }
    #expect(payload == 7)
    #expect(counter.count == 1)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `the current value does not count`() async {
    let value = EmitterValue(1)
    #expect(await value.signal.next { value.set(2) } == 2)
    #expect(await value.signal.map { $0 * 10 }.next { value.set(3) } == 30)
    #expect(await value.signal.replay(2).next { value.set(4) } == 4)
    let both = combineLatest(value.signal, value.signal).map { $0 + $1 }
    #expect(await both.next { value.set(5) } == 9)
    #expect(await merge(value.signal, value.signal).next { value.set(6) } == 6)
    #expect(await value.signal.next(timeout: .seconds(60)) { value.set(7) } == 7)
    #expect(value.signal.slotCount == 0)
  }

  @Test func `what another thread sets while the current value is delivered counts`() async {
    let (value, emitter) = (EmitterValue(1), EmitterArg<Int>())
    let mapped = value.signal.map { number in
      if number == 1 { RunningThread { value.set(5) }.join() }
      return number
    }
    #expect(await mapped.next(timeout: .seconds(20)) {} == 5)
    value.set(1)
    let scanned = merge(emitter.signal, value.signal).scan(0) { _, number in
      if number == 1 { RunningThread { emitter.invoke(5) }.join() }
      return number
    }
    #expect(await scanned.next(timeout: .seconds(20)) {} == 5)
    let replay = emitter.signal.replay(1)
    emitter.invoke(1)
    let replayed = replay.map { number in
      if number == 1 { RunningThread { emitter.invoke(5) }.join() }
      return number
    }
    #expect(await replayed.next(timeout: .seconds(20)) {} == 5)
  }

  @Test func `a combination counts if something in it is new, whatever completes it`() async {
    let (value, other, clock) = (EmitterValue(1), EmitterValue(2), ManualClock())
    let emitter = EmitterArg<Int>()
    let late = value.signal.delay(for: .seconds(1), clock: clock)
    let pair = await combineLatest(late, other.signal).next(timeout: .seconds(20)) {
      other.set(5)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
    }
    #expect(pair?.0 == 1 && pair?.1 == 5)
    let list = await merge(emitter.signal, late).collect(2).next(timeout: .seconds(20)) {
      emitter.invoke(7)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
    }
    #expect(list == [7, 1])
  }

  @Test func `the current value does not count if a window of time collects it alone`() async {
    let (value, clock) = (EmitterValue(1), ManualClock())
    let list = await value.signal.collect(2, for: .seconds(1), clock: clock)
      .next(timeout: .seconds(20)) {
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        value.set(2)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
      }
    #expect(list == [2])
  }

  @Test func `the current value does not count behind operators of time`() async {
    let (value, clock) = (EmitterValue(1), ManualClock())
    let second = Duration.seconds(1)
    let sources: [(String, @Sendable () async -> Int?)] = [
      (
        "debounce",
        { await Self.next(value.signal.debounce(for: second, clock: clock), value, clock) }
      ),
      (
        "delay, and others",
        {
          let delayed = value.signal.delay(for: second, clock: clock)
          return await Self.next(delayed.map { $0 }.removeDuplicates(), value, clock)
        }
      ),
    ]
    for (name, next) in sources {
      value.set(1)
      #expect(await next() == 2, "\(name)")
    }
    // The task that has sent the payload may still be in the call of the slot (guarantee 9).
    await until("no slot is left") { value.signal.slotCount == 0 }
  }

  /// Has the current value sent when a second is over, and then sends the next one.
  private static func next(
    _ source: some SignalSource<Int>, _ value: EmitterValue<Int>, _ clock: ManualClock
  ) async -> Int? {
    await source.next {
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      // Sends what is due, before it takes this in.
      value.set(2)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
    }
  }

  @Test func `the error of the closure is thrown, and no slot is left`() async {
    let emitter = EmitterArg<Int>()
    await #expect(throws: Refused.self) {
      try await emitter.signal.next { throw Refused() }
    }
    await #expect(throws: Refused.self) {
      try await emitter.signal.next(timeout: .seconds(1)) { throw Refused() }
    }
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `the time counts from the end of the closure`() async {
    let (emitter, clock) = (EmitterArg<Int>(), ManualClock())
    let inTime = await emitter.signal.next(timeout: .seconds(1), clock: clock) {
      clock.advance(by: .seconds(5))
      emitter.invoke(1)
    }
    #expect(inTime == 1)
    let waiting = Task {
      await emitter.signal.next(timeout: .seconds(1), clock: clock) {
        clock.advance(by: .seconds(5))
      }
    }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await waiting.value == nil)
  }

  @Test func `a timeout ends the wait, whatever slot of the value is busy`() async {
    let value = EmitterValue(0)
    let (entered, gate) = (Gate(), Gate())
    value.signal.changes.connect(on: .inline) { _, new in
      if new != 1 { return }
      entered.open()
      gate.pass()
    }
    let setter = RunningThread { value.set(1) }
    entered.pass()

    #expect(await value.signal.next(timeout: .zero) == nil)

    gate.open()
    setter.join()
    #expect(await value.signal.next(timeout: .zero) == 1)
  }

  @Test func `the timeout does not wait for what another clock holds back`() async {
    // From now on, payloads that wait keep their path.
    EmitterValue(0).bond(givingTo: EmitterValue(0))
    let (value, events) = (EmitterValue(1), EmitterArg<Int>())
    let (clock, late) = (ManualClock(), ManualClock())
    // The pair that has to wait while the first one is mapped has a path when it is held back.
    let second = merge(events.signal, value.signal)
    let source = combineLatest(value.signal, second).map { _, number in
      if number == 1 { events.invoke(2) }
      return number
    }.delay(for: .seconds(1), clock: late)
    let next = Task { await source.next(timeout: .seconds(1), clock: clock) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await next.value == nil)
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueFeedTests {
  private let feed = ValueFeed<Int>(.unbounded)

  @Test func `a feed that has ended takes no payloads`() async {
    let id = feed.makeConsumer()
    feed.receive(1)
    feed.finish()
    feed.receive(2)

    #expect(await feed.next(id, isolation: nil) == 1)
    #expect(await feed.next(id, isolation: nil) == nil)
  }

  @Test func `a payload that is sent while its consumer begins to wait is not lost`() async {
    let (id, rounds, feed) = (feed.makeConsumer(), 5000, feed)
    let expected = Box(0)
    let producer = RunningThread {
      for round in 1...rounds {
        while expected.value.map({ $0 < round }) == true {}
        feed.receive(round)
      }
    }
    var round = 0
    repeat {
      round += 1
      expected.value = round
    } while await feed.next(id, isolation: nil) == round && round < rounds
    #expect(round == rounds)

    // Lets the thread end.
    expected.value = rounds
    producer.join()
  }
}
