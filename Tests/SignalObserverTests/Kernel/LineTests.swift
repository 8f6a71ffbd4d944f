import Dispatch
import Testing

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LineTests {
  let first = EmitterArg<Int>()
  let second = EmitterArg<Int>()
  let log = Log()
  let queue = DispatchQueue(label: "delivery")

  init() {
    first.signal.connect(on: queue) { [log] in log.add("first \($0)") }
    second.signal.connect(on: queue) { [log] in log.add("second \($0)") }
  }

  @Test func `18. What two signals send to one queue is delivered in the order of emission`() {
    queue.suspend()
    for number in 0..<2 { first.invoke(number) }
    queue.async { [first, second] in
      second.invoke(0)
      first.invoke(2)
    }
    queue.resume()
    for _ in 0..<2 { queue.sync {} }

    #expect(log.entries == ["first 0", "first 1", "second 0", "first 2"])
  }

  @Test func `18. What a slot emits reaches a queue before what the emission around it has not`() {
    let (around, inner) = (EmitterArg<Int>(), EmitterArg<Int>())
    around.signal.connect(on: .inline) { inner.invoke($0) }
    around.signal.connect(on: queue) { [log] in log.add("around \($0)") }
    inner.signal.connect(on: queue) { [log] in log.add("inner \($0)") }

    for number in 0..<2 { around.invoke(number) }
    queue.sync {}

    #expect(log.entries == ["inner 0", "around 0", "inner 1", "around 1"])
  }

  @Test func `13. What an inner emission delivers from another queue is not overtaken on main`()
    async
  {
    let (around, other) = (EmitterArg<Int>(), EmitterArg<Int>())
    around.signal.connect(on: .inline) { [queue] value in
      if value == 1 { queue.sync { around.invoke(2) } }
    }
    around.signal.connect { @MainActor [log] in log.add("around \($0)") }
    other.signal.connect { @MainActor [log] in log.add("other \($0)") }

    // On the main queue, and on no actor that the compiler knows.
    let main = DispatchQueue.main
    await withCheckedContinuation { continuation in
      main.async {
        around.invoke(1)
        other.invoke(3)
        main.async { continuation.resume() }
      }
    }

    #expect(log.entries == ["around 1", "around 2", "other 3"])
    // A slot of it holds it.
    around.cancelAllObservers()
  }

  @Test func `12. A full slot that keeps the oldest notices that its target has died`() {
    let census = Census()
    let emitter = EmitterArg<Int>()
    var target: Target? = Target("target", log)
    if let target {
      emitter.signal.buffering(.oldest(1)).connect(target, on: queue) {
        [member = census.member()] _, _ in member.use()
      }
    }
    queue.suspend()
    emitter.invoke(1)
    target = nil

    emitter.invoke(2)

    #expect(census.alive == 0)
    queue.resume()
  }

  @Test func `a queue with the label of the main queue is a place of its own`() {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: DispatchQueue.main.label)
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    emitter.signal.connect(on: queue) { [log] in
      log.add(DispatchQueue.getSpecific(key: key) == true ? "there" : "elsewhere")
    }

    emitter.invoke()
    queue.sync {}

    #expect(log.entries == ["there"])
  }

  @Test func `in a flood, other work of a queue runs after what was emitted before it`() {
    for round in 0..<20 {
      for number in 0..<100 { first.invoke(number) }
      queue.sync { [log] in log.add("work \(round)") }
    }

    let numbers = (0..<100).map { "first \($0)" }
    #expect(log.entries == (0..<20).flatMap { numbers + ["work \($0)"] })
  }

  @Test func `the next emission notices a dead target, and releases what waits for it`() {
    let census = Census()
    let emitter = EmitterArg<Lifetime>()
    var target: Target? = Target("target", log)
    let capture = census.member()
    let observer = target.map { target in
      emitter.signal.connect(target, on: queue) { [capture] _, _ in capture.use() }
    }
    queue.suspend()
    for _ in 0..<100 { emitter.invoke(census.member()) }
    #expect(census.alive == 101)

    target = nil
    emitter.invoke(census.member())

    // What the test holds, and nothing else.
    #expect(census.alive == 1)
    #expect(observer?.isCancelled == true)
    queue.resume()
    withExtendedLifetime(capture) {}
  }

  @Test func `after a flood, a target that died is noticed by the next emission`() {
    let census = Census()
    let emitter = EmitterArg<Lifetime?>()
    var target: Target? = Target("target", log)
    if let target {
      emitter.signal.connect(target, on: queue) { [capture = census.member()] _, _ in
        capture.use()
      }
    }
    for _ in 0..<20 {
      for _ in 0..<100 { emitter.invoke(nil) }
      queue.sync {}
    }
    queue.suspend()
    emitter.invoke(census.member())
    #expect(census.alive == 2)

    target = nil
    emitter.invoke(nil)

    #expect(census.alive == 0)
    queue.resume()
  }

  @Test func `captures are released when cancel returns inside a slot, whatever moved`() {
    let census = Census()
    let emitter = EmitterVoid()
    let observers = Box<[SignalObserver]>([])
    emitter.signal.connect(on: .inline) { [log] in
      for observer in observers.value ?? [] { observer.cancel() }
      log.add("\(census.alive)")
    }
    observers.value = (0..<10_000).map { _ in
      let capture = census.member()
      return emitter.signal.connect(on: .inline) { capture.use() }
    }

    emitter.invoke()

    #expect(log.entries == ["0"])
  }

  @Test func `captures are released when cancelObservers(of:) returns inside a slot`() {
    let census = Census()
    let emitter = EmitterVoid()
    let target = Target("target", log)
    emitter.signal.connect(on: .inline) { [log, signal = emitter.signal] in
      signal.cancelObservers(of: target)
      log.add("\(census.alive)")
    }
    let capture = Box<Lifetime>(census.member())
    emitter.signal.connect(target, on: .inline) { [capture = capture.value] _, _ in capture?.use() }
    capture.value = nil

    emitter.invoke()

    #expect(log.entries == ["0"])
  }

  @Test func `14. In a flood without end, other work of a queue has its turn after 128 deliveries`()
  {
    let emitter = EmitterArg<Int>()
    let (calls, parts, isDone, ended) = (Calls(), Trace<Int>(), Box(false), Gate())
    // Of each hundred, a drain leaves the next hundred, for which it has no more room.
    let observer = emitter.signal.connect(on: queue) { number in
      calls.add()
      // An end, so that the test fails, and does not hang, if other work gets no turn.
      if isDone.value == false, calls.count < 20_000 { emitter.invoke(number) }
    }
    @Sendable func work(_ round: Int, _ before: Int) {
      queue.async {
        let now = calls.count
        parts.add(now - before)
        if round < 50 { return work(round + 1, now) }
        isDone.value = true
        ended.open()
      }
    }

    queue.suspend()
    for number in 0..<100 { emitter.invoke(number) }
    work(1, 0)
    queue.resume()
    ended.pass()
    for _ in 0..<2 { queue.sync {} }

    // It holds the emitter.
    observer.cancel()
    #expect(parts.entries == Array(repeating: 128, count: 50))
  }

  // MARK: - Dead targets of a line

  @Test func `targets of slots side by side that died are noticed by the next emission`() {
    let census = Census()
    let emitter = EmitterArg<Lifetime>()
    var target: Target? = Target("target", log)
    let observers = (0..<2).compactMap { _ in
      target.map { target in emitter.signal.connect(target, on: queue) { $1.use() } }
    }
    queue.suspend()
    for _ in 0..<100 { emitter.invoke(census.member()) }
    #expect(census.alive == 100)

    target = nil
    emitter.invoke(census.member())

    #expect(census.alive == 0)
    #expect(observers.count == 2)
    #expect(observers.allSatisfy { $0.isCancelled })
    queue.resume()
  }

  @Test func `a drain that is stuck does not keep more than 256 payloads for a dead target`() {
    let census = Census()
    let emitter = EmitterArg<Lifetime>()
    let (entered, hold) = (Gate(), Gate())
    first.signal.connect(on: queue) { _ in
      entered.open()
      hold.pass()
    }
    var target: Target? = Target("target", log)
    _ = target.map { emitter.signal.connect($0, on: queue) { _, payload in payload.use() } }
    first.invoke(1)
    entered.pass()

    target = nil
    for _ in 0..<10_000 { emitter.invoke(census.member()) }

    #expect(census.alive <= 257)
    hold.open()
    queue.sync {}
  }

  @Test(arguments: [false, true])
  func `a capture that emits when its dead target is noticed doubles nothing`(_ isGroup: Bool) {
    let emitter = EmitterArg<Int>()
    let capture = Box(Lifetime { [signal = emitter] in signal.invoke(2) })
    var target: Target? = Target("target", log)
    _ = target.map {
      emitter.signal.connect($0, on: queue) { [capture = capture.value] _, _ in capture?.use() }
    }
    capture.value = nil
    if isGroup { emitter.signal.connect(on: queue) { [log] in log.add("queue \($0)") } }
    emitter.signal.connect(on: .inline) { [log] in log.add("inline \($0)") }
    target = nil

    // The emission notices it, and not a drain.
    queue.suspend()
    emitter.invoke(1)
    queue.resume()
    queue.sync {}

    #expect(log.entries.filter { $0.hasPrefix("inline") } == ["inline 1", "inline 2"])
    #expect(
      log.entries.filter { $0.hasPrefix("queue") } == (isGroup ? ["queue 1", "queue 2"] : []))
    emitter.cancelAllObservers()
  }

  // MARK: - Captures of what a drain has taken

  @Test
  func `a slot that cancels itself releases captures before the drain calls the next slot`() {
    let census = Census()
    let emitter = EmitterVoid()
    let own = Box<SignalObserver>()
    let capture = Box(census.member())
    own.value = emitter.signal.connect(on: queue) { [capture = capture.value] in
      own.value?.cancel()
      capture?.use()
    }
    capture.value = nil
    emitter.signal.connect(on: queue) { [log] in log.add("\(census.alive)") }

    // The emission is over when the slots are called.
    queue.suspend()
    emitter.invoke()
    queue.resume()
    queue.sync {}

    #expect(log.entries == ["0"])
  }

  @Test func `captures of a slot that another one of the drain cancels are released by cancel`() {
    let census = Census()
    let emitter = EmitterVoid()
    let later = Box<SignalObserver>()
    let capture = Box(census.member())
    emitter.signal.connect(on: queue) { [log] in
      later.value?.cancel()
      log.add("\(census.alive)")
    }
    later.value = emitter.signal.connect(on: queue) { [capture = capture.value] in capture?.use() }
    capture.value = nil

    // The emission is over when the slots are called.
    queue.suspend()
    emitter.invoke()
    queue.resume()
    queue.sync {}

    #expect(log.entries == ["0"])
  }

  // MARK: - Actors that die

  @Test func `what waits for an actor that dies is released, and its slots end`() async {
    let census = Census()
    let emitter = EmitterArg<Lifetime>()
    let part = Part()
    var desk: Desk? = Desk()
    let observer = await desk?.connect(part, to: emitter)
    // The drain finds the actor dead.
    desk = nil
    for _ in 0..<300 { emitter.invoke(census.member()) }

    await until("all payloads are released") { census.alive == 0 }
    await until("the slot has ended") { observer?.isCancelled == true }
    #expect(census.alive == 0)
    #expect(emitter.signal.slotCount == 0)
    withExtendedLifetime(part) {}
  }
}

/// Belongs to a ``Desk``, and may outlive it.
private final class Part: Sendable {
  func take(_ payload: Lifetime) { payload.use() }
}

private actor Desk {
  func connect(_ part: Part, to emitter: EmitterArg<Lifetime>) -> SignalObserver {
    emitter.signal.connect(part, Part.take)
  }
}

/// A program that runs no main queue is told so: `MainLoopTests` runs one.
@Suite(.serialized, .inTurn) struct MainQueueWatchTests {
  private var watch = MainQueueWatch()
  private let second: UInt64 = 1_000_000_000

  @Test mutating func `it tells once of a wait of two seconds`() {
    let told = [0, 1, 2, 3, 9].map { watch.recordWait(5 + $0 * second) }
    #expect(told == [false, false, true, false, false])
  }

  @Test mutating func `it tells nothing once the queue has run`() {
    var told = [watch.recordWait(5)]
    watch.recordRun()
    told.append(watch.recordWait(5 + 2 * second))
    #expect(told == [false, false])
  }

  /// Each thread reads the clock before it waits for the lock.
  @Test mutating func `threads may record their waits in another order than they read the clock`() {
    let told = [5 * second, 4 * second, 6 * second, 7 * second].map { watch.recordWait($0) }
    #expect(told == [false, false, false, true])
  }
}
