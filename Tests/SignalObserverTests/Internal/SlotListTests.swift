import Synchronization
import Testing

@testable import SignalObserver

@Suite(.timeLimit(.minutes(1))) struct SlotListTests {
  let emitter = EmitterVoid()
  let census = Census()

  private func connect(_ body: @escaping @Sendable () -> Void = {}) -> SignalObserver {
    let capture = census.member()
    return emitter.signal.connect(
      {
        body()
        capture.use()
      }, nil)
  }

  @Test func `a cancelled slot's captures are released at once when no emission is in progress`() {
    let observer = connect()
    emitter.invoke()
    #expect(census.alive == 1)

    observer.cancel()

    #expect(census.alive == 0)
  }

  @Test func `they are released at once when only emissions that do not call it are in progress`() {
    let later = Box<SignalObserver>()
    let log = Log()
    let census = census
    _ = emitter.signal.connect(
      {
        later.value?.cancel()
        log.add("\(census.alive)")
      }, nil)
    later.value = connect()

    emitter.invoke()

    #expect(log.entries == ["0"])
  }

  @Test func `they are released when the call in progress returns if the slot cancels itself`() {
    let own = Box<SignalObserver>()
    let log = Log()
    let census = census
    own.value = connect {
      own.value?.cancel()
      log.add("in the call \(census.alive)")
    }
    emitter.signal.connect({ log.add("in the next slot \(census.alive)") }, nil)

    emitter.invoke()

    #expect(log.entries == ["in the call 1", "in the next slot 0"])
  }

  @Test func `a slot that emits and cancels itself then keeps its captures until it returns`() {
    let own = Box<SignalObserver>()
    let log = Log()
    let census = census
    let emitter = emitter
    let depth = Atomic<Int>(0)
    own.value = connect {
      if depth.add(1, ordering: .relaxed).oldValue > 0 { return }
      emitter.invoke()
      own.value?.cancel()
      log.add("in the call \(census.alive)")
    }
    emitter.signal.connect({ log.add("later") }, nil)

    emitter.invoke()

    #expect(log.entries == ["later", "later", "in the call 1"])
    #expect(census.alive == 0)
  }

  @Test
  func
    `a slot cancelled by a slot that its own emission calls keeps its captures until it returns`()
  {
    let first = Box<SignalObserver>()
    let log = Log()
    let census = census
    let emitter = emitter
    let depth = Atomic<Int>(0)
    first.value = connect {
      if depth.add(1, ordering: .relaxed).oldValue > 0 { return }
      emitter.invoke()
      log.add("in the call \(census.alive)")
    }
    emitter.signal.connect(
      {
        first.value?.cancel()
        log.add("later \(census.alive)")
      }, nil)

    emitter.invoke()

    #expect(log.entries == ["later 1", "later 1", "in the call 1"])
    #expect(census.alive == 0)
  }

  @MainActor
  @Test func `a slot that runs at once on the main actor may cancel itself`() {
    let own = Box<SignalObserver>()
    let log = Log()
    let census = census
    let capture = census.member()
    own.value = emitter.signal.connect {
      own.value?.cancel()
      own.value = nil
      log.add("in the call \(census.alive)")
      capture.use()
    }

    emitter.invoke()

    #expect(log.entries == ["in the call 1"])
  }

  @Test func `they are released when the last emission that another thread makes has left`() {
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(
      {
        entered.open()
        leave.pass()
      }, nil)
    let observer = connect()
    let emitter = emitter
    let thread = RunningThread { emitter.invoke() }
    entered.pass()

    observer.cancel()
    #expect(census.alive == 1)
    leave.open()
    thread.join()

    #expect(census.alive == 0)
  }

  @Test func `an emission that never ends keeps only what it could see`() {
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(
      {
        entered.open()
        leave.pass()
      }, nil)
    let visible = connect()
    let emitter = emitter
    let thread = RunningThread { emitter.invoke() }
    entered.pass()

    visible.cancel()
    for _ in 0..<10_000 { connect().cancel() }
    #expect(census.alive == 1)
    leave.open()
    thread.join()

    #expect(census.alive == 0)
  }

  @Test func `a slot cancelled just as another thread's emission leaves is released`() {
    for _ in 0..<300 {
      let emitter = EmitterVoid()
      emitter.signal.connect({}, nil)
      let observers = Box(
        (0..<50).map { _ in
          let capture = census.member()
          return emitter.signal.connect({ capture.use() }, nil)
        })
      let isDone = Atomic<Bool>(false)
      onThreads(2) { index in
        if index == 0 {
          for observer in observers.value ?? [] { observer.cancel() }
          isDone.store(true, ordering: .releasing)
        } else {
          while !isDone.load(ordering: .acquiring) { emitter.invoke() }
        }
      }
      #expect(census.alive == 0)
      if census.alive > 0 { return }
    }
  }

  @Test func `ten thousand slots that cancel themselves in one emission do so in no time`() {
    let log = Log()
    for _ in 0..<10_000 {
      let own = Box<SignalObserver>()
      own.value = connect {
        own.value?.cancel()
        own.value = nil
      }
    }

    let time = ContinuousClock().measure { emitter.invoke() }

    #expect(time < .seconds(5))
    #expect(census.alive == 0)
    #expect(log.entries == [])
  }
}
