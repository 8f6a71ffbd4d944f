import Dispatch
import SignalObserver
import Synchronization
import Testing

/// One thread calls the library with a lock of its own held; another one is inside a slot (or a
/// transform, or a `deinit`) that waits for that lock.
///
/// If the library waited for the second thread, neither would continue, and the gates would report
/// it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct ForeignLockCaseTests {
  let made = Made.current

  /// What may be called with a lock held.
  enum Call: CaseIterable, Sendable {
    case emit, connect, attachToQueue, cancel, suspend, resume, cancelAll, inspect, bag, dropEmitter

    func make(_ emitter: Box<EmitterArg<Int>>, _ observer: SignalObserver) {
      let signal = emitter.value?.signal
      switch self {
      case .emit: emitter.value?.invoke(2)
      case .connect: signal?.connect(on: .inline) { _ in }.cancel()
      case .attachToQueue: signal?.connect(on: DispatchQueue(label: "cases")) { _ in }.cancel()
      case .cancel: observer.cancel()
      case .suspend: observer.suspend()
      case .resume: observer.resume()
      case .cancelAll: emitter.value?.cancelAllObservers()
      case .inspect: _ = (signal?.slotCount, signal?.debugDescription, observer.isCancelled)
      case .bag: ObserverBag().insert(observer)
      case .dropEmitter: emitter.value = nil
      }
    }
  }

  @Test(arguments: Call.allCases, Place.allCases)
  func `T10 a call with a lock held does not wait for a slot that wants that lock`(
    call: Call, place: Place
  ) async {
    let emitter = Box(made.emitter(Int.self))
    let lock = Foreign()
    let (inSlot, locked, done) = (Gate(), Gate(), Gate())
    let observer = emitter.value.map {
      place.connect($0.signal) { value in
        if value > 1 { return }
        inSlot.open()
        locked.pass()
        lock.take()
        done.open()
      }
    }
    await onThread {
      let thread = RunningThread { emitter.value?.invoke(1) }
      inSlot.pass()
      lock.hold {
        locked.open()
        if let observer { call.make(emitter, observer) }
      }
      done.pass()
      thread.join()
    }

    #expect(lock.count == 1)
    emitter.value?.cancelAllObservers()
  }

  @Test(arguments: [Call.emit, .connect, .cancel, .cancelAll, .inspect])
  func `T10 a call with a lock held does not wait for a transform that wants that lock`(call: Call)
  {
    let emitter = Box(made.emitter(Int.self))
    let (lock, target) = (Foreign(), made.watch(Target("target", Log())))
    let (inTransform, locked) = (Gate(), Gate())
    let observer = emitter.value?.signal.map(
      target, Target.show,
      { value in
        if value > 1 { return value }
        inTransform.open()
        locked.pass()
        lock.take()
        return value
      }, nil)
    let thread = RunningThread { emitter.value?.invoke(1) }
    inTransform.pass()

    lock.hold {
      locked.open()
      if let observer { call.make(emitter, observer) }
    }
    thread.join()

    #expect(lock.count == 1)
    withExtendedLifetime(target) {}
  }

  @Test(arguments: [Call.emit, .connect, .suspend, .cancelAll, .inspect])
  func `M8 a call with a lock held does not wait for a deinit that wants that lock`(call: Call) {
    let emitter = Box(made.emitter(Int.self))
    let lock = Foreign()
    let (inDeinit, locked) = (Gate(), Gate())
    let capture = Box(
      Lifetime {
        inDeinit.open()
        locked.pass()
        lock.take()
      })
    let dying = emitter.value?.signal.connect(on: .inline) { [capture = capture.value] _ in
      capture?.use()
    }
    let other = emitter.value?.signal.connect(on: .inline) { _ in }
    capture.value = nil
    let thread = RunningThread { dying?.cancel() }
    inDeinit.pass()

    lock.hold {
      locked.open()
      if let other { call.make(emitter, other) }
    }
    thread.join()

    #expect(lock.count == 1)
  }

  @Test func `T9 two threads whose slots want each other's lock continue`() {
    // Each thread takes the lock of its own emitter; the slots of each take the other's.
    let locks = [Foreign(), Foreign()]
    let emitters = [made.emitter(Int.self), made.emitter(Int.self)]
    for index in 0..<2 {
      emitters[index].signal.connect(on: .inline) { _ in locks[1 - index].take() }
    }

    onThreads(2) { index in
      for value in 0..<1000 {
        locks[index].take()
        emitters[index].invoke(value)
      }
    }

    #expect(locks.map(\.count) == [2000, 2000])
  }
}

/// A lock that the library knows nothing of.
private final class Foreign: Sendable {
  private let state = Mutex(0)

  var count: Int { state.withLock { $0 } }

  /// Counts those who get it.
  func take() { state.withLock { $0 += 1 } }
  func hold(_ body: () -> Void) { state.withLock { _ in body() } }
}
