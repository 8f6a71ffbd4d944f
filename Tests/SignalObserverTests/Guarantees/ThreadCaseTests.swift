import Dispatch
import SignalObserver
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct ThreadCaseTests {
  let log = Log()
  let made = Made.current

  @Test func `T1 ten threads that emit ten thousand times each make a hundred thousand calls`() {
    let emitter = made.emitter(Int.self)
    let sum = Atomic<Int>(0)
    emitter.signal.connect(on: .inline) { sum.add($0, ordering: .relaxed) }

    onThreads(10) { _ in
      for _ in 0..<10_000 { emitter.invoke(1) }
    }

    #expect(sum.load(ordering: .relaxed) == 100_000)
  }

  @Test func `T5 thirty-two threads that are the first to connect make thirty-two connections`() {
    for _ in 0..<100 {
      let emitter = made.emitter(Int.self)
      let calls = (0..<32).map { _ in Calls() }
      onThreads(32) { index in
        let own = calls[index]
        emitter.signal.connect(on: .inline) { _ in own.add() }
      }
      #expect(emitter.signal.slotCount == 32)

      emitter.invoke(1)

      #expect(calls.map(\.count) == Array(repeating: 1, count: 32))
    }
  }

  @Test(arguments: [Place.inline, .queue])
  func `T7 a target that is released while threads emit is not called once its deinit has begun`(
    place: Place
  ) {
    let queue = place == .queue ? DispatchQueue(label: "cases") : nil
    let wrong = Calls()
    for _ in 0..<300 {
      let emitter = made.emitter(Int.self)
      let target = Box(Mortal(wrong, made.object()))
      _ = target.value.map { emitter.signal.connect($0, Mortal.called, queue) }
      onThreads(3) { index in
        if index == 0 { return target.value = nil }
        for value in 0..<5 { emitter.invoke(value) }
      }
      queue?.sync {}
      emitter.invoke(9)
      queue?.sync {}

      #expect(emitter.signal.slotCount == 0)
    }
    #expect(wrong.count == 0)
    #expect(made.census.alive == 0)
  }

  @Test func `T11 a payload that slots on two queues hand to each other is never lost`() {
    let emitters = [made.emitter(Int.self), made.emitter(Int.self)]
    defer { for emitter in emitters { emitter.cancelAllObservers() } }
    let queues = [DispatchQueue(label: "one"), DispatchQueue(label: "other")]
    let calls = Calls()
    let done = Gate()
    for index in 0..<2 {
      emitters[index].signal.connect(on: queues[index]) { value in
        calls.add()
        if value == 100_000 { done.open() } else { emitters[1 - index].invoke(value + 1) }
      }
    }

    emitters[0].invoke(1)
    done.pass()

    #expect(calls.count == 100_000)
  }

  @Test func `an observer may be resumed while another thread cancels it`() {
    for _ in 0..<300 {
      let emitter = made.emitter(Int.self)
      let observer = emitter.signal.connect(on: DispatchQueue(label: "cases")) { _ in }

      onThreads(2) { index in
        if index == 0 { observer.cancel() } else { observer.resume() }
      }

      #expect(observer.isCancelled)
      #expect(!observer.isSuspended)
    }
  }

  @Test func `a slot may be cancelled while somebody waits for it`() async {
    for _ in 0..<300 {
      let emitter = made.emitter(Int.self)
      let observer = emitter.signal.connect(on: DispatchQueue(label: "cases")) { _ in }

      let thread = RunningThread { observer.cancel() }
      await emitter.invokeAndWait(1)
      thread.join()

      #expect(observer.isCancelled)
    }
  }

  @Test func `slots may be connected while another thread emits`() {
    for _ in 0..<300 {
      let emitter = made.emitter(Int.self)
      let calls = Calls()
      emitter.signal.connect(on: .inline) { _ in calls.add() }

      onThreads(2) { index in
        for value in 0..<20 {
          if index == 0 { emitter.signal.connect(on: .inline) { _ in calls.add() } }
          if index == 1 { emitter.invoke(value) }
        }
      }

      #expect(emitter.signal.slotCount == 21)
      #expect((20...20 * 21).contains(calls.count))
    }
  }
}

/// A target that notes a call while it is being destroyed, or after that.
private final class Mortal: Sendable {
  private let wrong: Calls
  private let alive: Lifetime
  private let isDying = Atomic<Bool>(false)

  init(_ wrong: Calls, _ alive: Lifetime) {
    self.wrong = wrong
    self.alive = alive
  }

  deinit {
    isDying.store(true, ordering: .releasing)
    for _ in 0..<10 { alive.use() }
  }

  func called(_ value: Int) {
    if isDying.load(ordering: .acquiring) { wrong.add() }
  }
}
