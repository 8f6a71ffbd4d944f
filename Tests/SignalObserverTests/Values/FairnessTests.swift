import Foundation
import SignalObserver
import SignalObserverTesting
import Testing

/// Who delivers what several threads set, or emit by way of an operator that delivers one at a time.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct FairnessTests {
  /// Something that is sent numbers by one closure and passes them on to another.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether it passes on the newest number alone, of those that wait.
    var isBond = false
    let make: @Sendable (_ slot: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void

    static let all = [
      Case(testDescription: "a value") { slot in
        let value = EmitterValue(0)
        value.signal.dropFirst().connect(on: .inline) { slot($0) }
        return { value.set($0) }
      },
      Case(testDescription: "a bond", isBond: true) { slot in
        let (mine, theirs) = (EmitterValue(0), EmitterValue(0))
        mine.bond(givingTo: theirs)
        theirs.signal.dropFirst().connect(on: .inline) { slot($0) }
        return { [theirs] number in
          mine.set(number)
          _ = theirs
        }
      },
      Case(testDescription: "replay") { slot in
        let emitter = EmitterArg<Int>()
        emitter.signal.replay(1).connect(on: .inline) { slot($0) }
        return { emitter.invoke($0) }
      },
      Case(testDescription: "scan") { slot in
        let emitter = EmitterArg<Int>()
        emitter.signal.scan(0) { $1 }.connect(on: .inline) { slot($0) }
        return { emitter.invoke($0) }
      },
      Case(testDescription: "removeDuplicates") { slot in
        let emitter = EmitterArg<Int>()
        emitter.signal.removeDuplicates().connect(on: .inline) { slot($0) }
        return { emitter.invoke($0) }
      },
      Case(testDescription: "combineLatest") { slot in
        let emitter = EmitterArg<Int>()
        let value = EmitterValue(0)
        combineLatest(emitter.signal, value.signal).connect(on: .inline) { number, _ in
          slot(number)
        }
        return { [value] number in
          emitter.invoke(number)
          _ = value
        }
      },
      Case(testDescription: "throttle") { slot in
        let emitter = EmitterArg<Int>()
        emitter.signal.throttle(for: .zero, clock: ManualClock()).connect(on: .inline) { slot($0) }
        return { emitter.invoke($0) }
      },
    ]
  }

  /// Each delivery waits until the next number has been sent: there is always one more.
  ///
  /// The thread that delivers sends those that follow `own`, and other threads send the rest.
  @Test(arguments: Case.all, [0...0, 1...1, 2...99])
  func `16. No thread delivers for others without bound`(_ each: Case, _ own: ClosedRange<Int>)
    async
  {
    // More than a thread delivers for others, once and again.
    let last = 300 + times(700)
    let send = Box<@Sendable (Int) -> Void>()
    let (numbers, mine) = (Trace<Int>(), Trace<Int>())
    let thread = ObjectIdentifier(Thread.self)
    send.value = each.make { number in
      numbers.add(number)
      if Thread.current.threadDictionary[thread] != nil { mine.add(number) }
      if own.contains(number) {
        send.value?(number + 1)
      } else if number < last {
        RunningThread { send.value?(number + 1) }.join()
      }
    }

    await onThread {
      Thread.current.threadDictionary[thread] = true
      send.value?(1)
    }

    let ownCount = 1 + own.count { $0 > 0 }
    #expect(mine.entries == Array(1...ownCount + 128))
    #expect(await numbers.entries(last) == Array(1...last))
    send.value = nil
  }

  @Test func `16. An emission that sets two values delivers no more for others than one does`()
    async
  {
    let last = 300
    let (source, values) = (EmitterVoid(), [EmitterValue(0), EmitterValue(0)])
    let (numbers, mine) = (Trace<Int>(), Trace<Int>())
    let thread = ObjectIdentifier(Thread.self)
    let observers = values.map { value in
      source.signal.connect(on: .inline) { value.set(1) }
      return value.signal.dropFirst().connect(on: .inline) { number in
        numbers.add(number)
        if Thread.current.threadDictionary[thread] != nil { mine.add(number) }
        if number < last { RunningThread { value.set(number + 1) }.join() }
      }
    }

    await onThread {
      Thread.current.threadDictionary[thread] = true
      source.invoke()
    }

    #expect(mine.entries == Array(1...129) + [1])
    #expect(await numbers.entries(2 * last).count == 2 * last)
    for observer in observers { observer.cancel() }
  }

  @Test func `16. A thread whose slots set does no more for others than one whose slots do not`()
    async
  {
    let (value, last, count) = (EmitterValue(0), Calls(), 600)
    let (numbers, mine) = (Trace<Int>(), Calls())
    let thread = ObjectIdentifier(Thread.self)
    value.signal.dropFirst().connect(on: .inline) { number in
      if number < 0 { return }
      numbers.add(number)
      if Thread.current.threadDictionary[thread] != nil { mine.add() }
      for _ in 0..<3 where last.count < count {
        last.add()
        let next = last.count
        RunningThread { value.set(next) }.join()
      }
      // Those three are delivered first.
      value.set(-1)
    }

    await onThread {
      Thread.current.threadDictionary[thread] = true
      value.set(0)
    }

    #expect(mine.count == 129)
    #expect(await numbers.entries(count + 1) == Array(0...count))
  }

  @Test func `16. What a main loop in a slot delivers does not count for the emission around it`()
    async
  {
    let (outer, inner, desk) = (EmitterVoid(), EmitterVoid(), Desk())
    let (value, other, trace) = (EmitterValue(0), EmitterValue(0), Trace<Int>())
    // The emission does its share for others.
    value.signal.connect(on: .inline) { number in
      if 1..<300 ~= number { RunningThread { value.set(number + 1) }.join() }
    }
    other.signal.dropFirst().connect(on: .inline) { number in
      trace.add(number)
      if number > 1 { return }
      RunningThread { other.set(2) }.join()
      other.set(3)
      trace.add(4)
    }
    inner.signal.connect(desk) { _ in other.set(1) }
    outer.signal.connect(on: .inline) {
      value.set(1)
      inner.invoke()
      desk.loop.runNext()
    }

    await onThread { outer.invoke() }

    #expect(trace.entries == [1, 2, 3, 4])
  }

  private actor Desk {
    nonisolated let loop = Loop()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe loop.asUnownedSerialExecutor()
    }
  }

  /// A main loop: it runs on the thread that calls it, also in a slot.
  private final class Loop: SerialExecutor {
    private let job = Box<UnownedJob>()
    private let arrivals = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
      self.job.value = UnownedJob(job)
      arrivals.signal()
    }

    /// Waits for a job, and runs it.
    func runNext() {
      arrivals.wait()
      // The executor runs each job once.
      unsafe job.value?.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  @Test(arguments: Case.all)
  func `16. What a thread sets in a slot, it delivers itself before it returns`(_ each: Case) async
  {
    let send = Box<@Sendable (Int) -> Void>()
    let numbers = Trace<Int>()
    send.value = each.make { number in
      numbers.add(number)
      if number < 100 { send.value?(number + 1) }
    }

    send.value?(1)

    #expect(numbers.entries == Array(1...100))
    send.value = nil
  }

  @Test(arguments: Case.all)
  func `16. What a thread sets in a slot, it delivers itself, after all that others set before`(
    _ each: Case
  ) {
    let send = Box<@Sendable (Int) -> Void>()
    let numbers = Trace<Int>()
    send.value = each.make { number in
      numbers.add(number)
      if number > 1 { return }
      RunningThread { for number in 2...100 { send.value?(number) } }.join()
      send.value?(101)
    }

    send.value?(1)

    #expect(numbers.entries == (each.isBond ? [1, 101] : Array(1...101)))
    send.value = nil
  }

  /// Another thread delivers while this one sends, until a global queue is to continue.
  ///
  /// If that queue alone continued, it could stay behind for ever: sending is faster than delivering.
  @Test(arguments: Case.all)
  func `16. A thread that sends delivers again itself, once another has delivered its share`(
    _ each: Case
  ) async {
    let send = Box<@Sendable (Int) -> Void>()
    let (isDelivering, hasSent) = (Gate(), Gate())
    let mine = Box<Int>()
    let thread = ObjectIdentifier(Thread.self)
    send.value = each.make { number in
      if number == 1 {
        isDelivering.open()
        hasSent.pass()
      }
      if Thread.current.threadDictionary[thread] != nil { mine.value = number }
    }

    let other = RunningThread { send.value?(1) }
    await onThread {
      Thread.current.threadDictionary[thread] = true
      isDelivering.pass()
      for number in 2...1000 { send.value?(number) }
      hasSent.open()
      // The other thread may wait for a processor longer than this one needs for all it sends.
      let end = ContinuousClock.now + .seconds(30)
      var number = 1000
      while mine.value == nil, ContinuousClock.now < end {
        number += 1
        send.value?(number)
        sched_yield()
      }
      other.join()
    }

    #expect(mine.value != nil)
    send.value = nil
  }

  @Test func `16. A value that is not Sendable is delivered where it is set, however often`() {
    final class Payload { var number = 1 }
    final class Owner {
      let value = EmitterValue(Payload())
      var numbers: [Int] = []

      func receive(_ payload: Payload) {
        numbers.append(payload.number)
        guard payload.number < 100 else { return }
        let next = Payload()
        next.number = payload.number + 1
        value.set(next)
      }
    }
    let owner = Owner()

    owner.value.signal.connect(owner, Owner.receive)

    #expect(owner.numbers == Array(1...100))
  }

  @Test func `16. While two threads set without end, the set of a third one returns`() async {
    let value = EmitterValue(0)
    let (isDone, third) = (Box(false), Box<Bool>())
    value.signal.connect(on: .inline) { _ in }
    let isSetting = Gate()

    let others = (0..<2).map { index in
      RunningThread {
        isSetting.open()
        // An end, so that the test fails, and does not hang, if the third has to wait for theirs.
        for number in 0..<1_000_000 where isDone.value == false { value.set(number * 2 + index) }
        third.value = third.value ?? isDone.value
      }
    }
    await onThread {
      for _ in others { isSetting.pass() }
      value.set(-1)
      isDone.value = true
    }
    for thread in others { await onThread { thread.join() } }

    #expect(third.value == true)
  }

  /// A system may give a new thread what identified one that has ended.
  @Test func `16. What a thread has set that has ended counts as set by another`() async {
    let value = EmitterValue(0)
    let (isDelivering, hasSet) = (Gate(), Gate())
    let (mine, most) = (Calls(), Box(0))
    let thread = ObjectIdentifier(Thread.self)
    value.signal.changes.connect(on: .inline) { _, new in
      if new == 1 {
        isDelivering.open()
        hasSet.pass()
      } else if new > 1, Thread.current.threadDictionary[thread] != nil {
        mine.add()
      }
    }

    await onThread {
      let first = RunningThread { value.set(1) }
      isDelivering.pass()
      for _ in 0..<8 {
        RunningThread { for number in 2...5000 { value.set(number) } }.join()
      }
      hasSet.open()
      for _ in 0..<1000 where mine.count == 0 {
        RunningThread {
          Thread.current.threadDictionary[thread] = true
          let before = mine.count
          value.set(-1)
          most.value = max(most.value ?? 0, mine.count - before)
        }.join()
      }
      first.join()
    }

    #expect(most.value ?? 0 <= 128)
  }

  @Test func `16. A value whose emitter dies while others deliver for it ends on the newest`() async
  {
    let (numbers, ended) = (Trace<Int>(), Gate())
    let value = Box(EmitterValue(0))
    var capture: Lifetime? = Lifetime { ended.open() }
    value.value?.signal.connect(on: .inline) { [capture] number in
      if 1..<1000 ~= number { RunningThread { value.value?.set(number + 1) }.join() }
      numbers.add(number)
      capture?.use()
    }
    capture = nil

    await onThread {
      value.value?.set(1)
      value.value = nil
      ended.pass()
    }

    #expect(numbers.entries.count > 1)
    #expect(numbers.entries == Array(0..<numbers.entries.count))
  }
}
