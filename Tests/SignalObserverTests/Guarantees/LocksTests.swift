import Dispatch
@testable import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing

// The kernel's lock does not recurse: code that runs under it and calls the library stops the
// program.

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LocksTests {
  let log = Log()
  let emitter = EmitterArg<Lifetime>()

  /// Uses every entrance to the kernel.
  @Sendable private func useEverything() {
    let observer = emitter.signal.connect(on: .inline) { _ in }
    observer.suspend()
    observer.resume()
    emitter.signal.connect(on: DispatchQueue.main) { _ in }.cancel()
    emitter.invoke(Lifetime {})
    observer.cancel()
    _ = emitter.signal.slotCount
    _ = emitter.signal.debugDescription
    EmitterVoid().cancelAllObservers()
    log.add("used")
  }

  @Test func `7. A pending payload that is dropped may wait for its slot's queue in its deinit`() {
    let emitter = EmitterArg<Lifetime>()
    let queue = DispatchQueue(label: "locks")
    let isRunning = Gate()
    let observer = emitter.signal.connect(on: queue) { $0.use() }
    queue.suspend()
    emitter.invoke(
      Lifetime {
        // Behind the drain, which finds nothing.
        queue.async { isRunning.open() }
        queue.resume()
        isRunning.pass()
      })

    observer.cancel()

    #expect(observer.isCancelled)
  }

  @Test func `7. A payload that waits for a step may wait in its deinit for the thread that works`()
  {
    let (emitter, log) = (EmitterArg<Lifetime>(), log)
    let (isCalled, mayReturn, hasReturned) = (Gate(), Gate(), Gate())
    let observer = emitter.signal.scan(0) { count, _ in count + 1 }
      .connect(on: .inline) { _ in
        isCalled.open()
        mayReturn.pass()
      }

    onThreads(2) { index in
      if index == 0 {
        emitter.invoke(Lifetime {})
        return hasReturned.open()
      }
      isCalled.pass()
      emitter.invoke(
        Lifetime {
          mayReturn.open()
          hasReturned.pass()
          log.add("released")
        })
      observer.cancel()
    }

    #expect(log.entries == ["released"])
  }

  @Test func `7. No lock is held while anybody else's code runs: slots`() {
    defer { emitter.cancelAllObservers() }
    let depth = Atomic<Int>(0)
    emitter.signal.connect(on: .inline) { _ in
      if depth.add(1, ordering: .relaxed).oldValue == 0 { useEverything() }
    }

    emitter.invoke(Lifetime {})

    #expect(log.entries == ["used"])
  }

  @Test func `7. No lock is held while a queue slot runs`() {
    defer { emitter.cancelAllObservers() }
    let queue = DispatchQueue(label: "locks")
    let depth = Atomic<Int>(0)
    emitter.signal.connect(on: queue) { _ in
      if depth.add(1, ordering: .relaxed).oldValue == 0 { useEverything() }
    }

    emitter.invoke(Lifetime {})
    queue.sync {}

    #expect(log.entries == ["used"])
  }

  @Test func `7. No lock is held while a transform runs`() {
    defer { emitter.cancelAllObservers() }
    let target = Target("target", log)
    let depth = Atomic<Int>(0)
    emitter.signal.map(
      target, Target.show,
      { _ in
        if depth.add(1, ordering: .relaxed).oldValue == 0 { useEverything() }
        return depth.load(ordering: .relaxed)
      }, nil)

    emitter.invoke(Lifetime {})

    #expect(log.entries == ["target 2", "used", "target 2"])
  }

  @Test func `7. No lock is held while a cancelled slot's captures are released`() {
    defer { emitter.cancelAllObservers() }
    let capture = Box(Lifetime { useEverything() })
    let observer = emitter.signal.connect(on: .inline) { [capture = capture.value] _ in
      capture?.use()
    }
    capture.value = nil

    observer.cancel()

    #expect(log.entries == ["used"])
  }

  @Test
  func `7. No lock is held while a cancelled queue slot's captures and payloads are released`() {
    defer { emitter.cancelAllObservers() }
    let queue = DispatchQueue(label: "locks")
    let hold = Gate()
    queue.async { hold.pass() }
    let capture = Box(Lifetime { useEverything() })
    let observer = emitter.signal.connect(on: queue) { [capture = capture.value] _ in capture?.use()
    }
    capture.value = nil
    for _ in 0..<3 { emitter.invoke(Lifetime { useEverything() }) }

    observer.cancel()

    #expect(log.entries == Array(repeating: "used", count: 4))
    hold.open()
    queue.sync {}
  }

  @Test func `7. No lock is held while captures are released as another thread's call returns`() {
    defer { emitter.cancelAllObservers() }
    let (entered, leave) = (Gate(), Gate())
    let count = Atomic<Int>(0)
    let capture = Box(Lifetime { useEverything() })
    let observer = emitter.signal.connect(on: .inline) { [capture = capture.value] _ in
      if count.add(1, ordering: .relaxed).oldValue > 0 { return }
      entered.open()
      leave.pass()
      capture?.use()
    }
    capture.value = nil
    let thread = RunningThread { [emitter] in emitter.invoke(Lifetime {}) }
    entered.pass()
    observer.cancel()
    #expect(log.entries == [])

    leave.open()
    thread.join()

    #expect(log.entries == ["used"])
  }

  @Test func `7. No lock is held while payloads that were delivered or dropped are released`() {
    defer { emitter.cancelAllObservers() }
    let queue = DispatchQueue(label: "locks")
    let observer = emitter.signal.connect(on: queue) { _ in }
    emitter.invoke(Lifetime { useEverything() })
    queue.sync {}
    queue.sync {}
    observer.suspend()
    emitter.invoke(Lifetime { useEverything() })

    queue.sync {}

    #expect(log.entries == ["used", "used"])
  }

  @Test func `7. No lock is held in the deinit of a target that its slot kept last`() {
    defer { emitter.cancelAllObservers() }
    let target = Box(Lifetime { useEverything() })
    let log = log
    _ = target.value.map {
      emitter.signal.connect($0, on: .inline) { own, _ in
        target.value = nil
        log.add("dropped")
        own.use()
      }
    }

    emitter.invoke(Lifetime {})

    #expect(log.entries == ["dropped", "used"])
  }

  @Test func `7. No lock is held in the deinit of a target that an emission finds dying`() {
    defer { emitter.cancelAllObservers() }
    let log = log
    let target = Box(Lifetime { useEverything() })
    let (inSlot, leave) = (Gate(), Gate())
    _ = target.value.map {
      emitter.signal.connect($0, on: .inline) { _, _ in
        inSlot.open()
        leave.pass()
      }
    }
    let thread = RunningThread { [emitter] in emitter.invoke(Lifetime {}) }
    inSlot.pass()

    target.value = nil
    log.add("dropped")
    leave.open()
    thread.join()

    #expect(log.entries == ["dropped", "used"])
  }

  @Test func `7. No lock is held in the deinit of captures that die with the emitter`() {
    let other = EmitterVoid()
    let log = log
    do {
      let dying = EmitterVoid()
      let capture = Lifetime {
        other.signal.connect(on: .inline) { log.add("other") }
        other.invoke()
      }
      dying.signal.connect(on: .inline) { capture.use() }
    }

    #expect(log.entries == ["other"])
  }

  @Test func `7. No lock is held in the deinit of a bag, and of a bag of one`() {
    defer { emitter.cancelAllObservers() }
    let bag = Box(ObserverBag())
    let scoped = Box<ObserverBag>()
    let capture = Box(Lifetime { useEverything() })
    let observers = (0..<2).map { _ in
      emitter.signal.connect(on: .inline) { [capture = capture.value] _ in capture?.use() }
    }
    capture.value = nil
    bag.value?.insert(observers[0])
    scoped.value = observers[1].scoped()

    bag.value = nil
    scoped.value = nil

    #expect(log.entries == ["used"])
  }

  @Test(arguments: [SignalBuffering.unbounded, .newest(8)])
  func `7. No lock is held in the deinit of a tracer that is replaced`(
    buffering: SignalBuffering
  ) {
    defer { emitter.cancelAllObservers() }
    let queue = DispatchQueue(label: "locks")
    let observer = emitter.signal.buffering(buffering).connect(on: queue) { _ in }
    observer.lineMailbox?.setTracer { _ in DyingTracer { useEverything() } }

    observer.lineMailbox?.setTracer { _ in nil }

    #expect(log.entries == ["used"])
  }

  @Test func `7. No lock is held while an executor gets the task of an operator of time`() async {
    await #expect(processExitsWith: .success) {
      let emitter = EmitterArg<Int>()
      let clock = ManualClock()
      let (trace, observer) = emitter.signal.delay(for: .seconds(1), clock: clock).traced()
      defer { observer.cancel() }
      GlobalExecutor.takeOver()

      GlobalExecutor.$afterTask.withValue({ emitter.invoke(2) }) { emitter.invoke(1) }

      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      #expect(await trace.entries(2) == [1, 2])
    }
  }

  @Test func `7. A lock of the user's may be held when calling in, and taken in a slot`() {
    defer { emitter.cancelAllObservers() }
    let lock = Mutex(0)
    let (inSlot, locked) = (Gate(), Gate())
    emitter.signal.connect(on: .inline) { _ in
      inSlot.open()
      locked.pass()
      lock.withLock { $0 += 1 }
    }
    let thread = RunningThread { [emitter] in emitter.invoke(Lifetime {}) }
    inSlot.pass()

    lock.withLock { _ in
      locked.open()
      let observer = emitter.signal.connect(on: .inline) { _ in }
      observer.suspend()
      observer.cancel()
    }
    thread.join()

    #expect(lock.withLock { $0 } == 1)
  }
}

/// Traces nothing, and calls a closure when it dies.
private final class DyingTracer: MailboxTracer {
  private let atEnd: @Sendable () -> Void

  init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

  deinit { atEnd() }

  func added() {}
  func displaced(isNew: Bool) {}
  func taken(_ count: Int) {}
  func call(_ connection: SignalObserver, _ call: () -> Void) { call() }
  func call(
    _ connection: SignalObserver, _ call: (() async -> Void)?
  ) -> (() async -> Void)? {
    call
  }
}
