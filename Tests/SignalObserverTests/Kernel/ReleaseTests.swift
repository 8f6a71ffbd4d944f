import Dispatch
import Foundation
import SignalObserver
import Synchronization
import Testing

/// When, and on which thread, a connection that has ended releases what it holds.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(1))) struct ReleaseTests {
  let emitter = EmitterArg<Int>()
  let census = Census()
  let queue = DispatchQueue(label: "release")

  /// A thread that makes an emission, which stops in a slot until the test lets it continue.
  private struct Emitting {
    let leave = Gate()
    let thread: RunningThread

    init(_ emitter: EmitterArg<Int>) {
      let entered = Gate()
      emitter.signal.connect(on: .inline) { [leave] value in
        guard value == 0 else { return }
        entered.open()
        leave.pass()
      }
      thread = RunningThread { emitter.invoke(0) }
      entered.pass()
    }

    func end() {
      leave.open()
      thread.join()
    }
  }

  /// A slot with a capture that notes the thread on which it is released.
  private func connect(
    on queue: DispatchQueue?, released: Box<ObjectIdentifier>,
    _ body: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> SignalObserver {
    let capture = Lifetime { released.value = here() }
    return emitter.signal.connect(on: queue) { [capture] value in
      body(value)
      capture.use()
    }
  }

  // MARK: - Other emissions, and other threads that look

  @Test(arguments: [false, true])
  func `9. cancel() releases captures at once, although another thread emits`(_ isOnQueue: Bool) {
    defer { emitter.cancelAllObservers() }
    let released = Box<ObjectIdentifier>()
    let emitting = Emitting(emitter)
    let observer = connect(on: isOnQueue ? queue : .inline, released: released)

    observer.cancel()

    #expect(released.value == here())
    emitting.end()
  }

  @Test func `9. cancel() releases captures at once, although an emission could see the slot`() {
    defer { emitter.cancelAllObservers() }
    let released = Box<ObjectIdentifier>()
    // Connected before, so that the emission has the slot before it.
    let gate = Gate()
    let entered = Gate()
    emitter.signal.connect(on: .inline) { _ in
      entered.open()
      gate.pass()
    }
    let observer = connect(on: .inline, released: released)
    let thread = RunningThread { [emitter] in emitter.invoke(1) }
    entered.pass()

    observer.cancel()

    #expect(released.value == here())
    gate.open()
    thread.join()
  }

  @Test(arguments: [false, true])
  func `9. Captures are released by the thread that cancels, although others look at the signal`(
    _ isOnQueue: Bool
  ) {
    let isDone = Atomic<Bool>(false)
    let late = Atomic<Int>(0)
    onThreads(2) { index in
      if index == 0 {
        while !isDone.load(ordering: .acquiring) {
          _ = emitter.signal.slotCount
          _ = emitter.signal.debugDescription
          emitter.signal.cancelObservers(of: census)
        }
        return
      }
      for _ in 0..<5000 {
        let released = Box<ObjectIdentifier>()
        connect(on: isOnQueue ? queue : .inline, released: released).cancel()
        if released.value != here() { late.add(1, ordering: .relaxed) }
      }
      isDone.store(true, ordering: .releasing)
    }

    #expect(late.load(ordering: .relaxed) == 0)
  }

  @Test func `9. A call in progress keeps the captures of its own slot alone`() {
    defer { emitter.cancelAllObservers() }
    let (entered, leave) = (Gate(), Gate())
    let (first, second) = (Box<ObjectIdentifier>(), Box<ObjectIdentifier>())
    let called = connect(on: .inline, released: first) { _ in
      entered.open()
      leave.pass()
    }
    let other = connect(on: .inline, released: second)
    let thread = RunningThread { [emitter] in emitter.invoke(1) }
    entered.pass()

    called.cancel()
    other.cancel()

    #expect(first.value == nil)
    #expect(second.value == here())
    leave.open()
    thread.join()
    #expect(first.value != nil)
    #expect(first.value != here())
  }

  // MARK: - Behind a blocked call

  @Test func `9. cancel() releases what waits behind the blocked call of another slot`() {
    let payloads = EmitterArg<Lifetime>()
    let (entered, leave) = (Gate(), Gate())
    let captured = Box<ObjectIdentifier>()
    emitter.signal.connect(on: queue) { _ in
      entered.open()
      leave.pass()
    }
    let observer = payloads.signal.connect(on: queue) {
      [capture = Lifetime { captured.value = here() }] payload in
      payload.use()
      capture.use()
    }
    queue.suspend()
    emitter.invoke(1)
    for _ in 0..<99 { payloads.invoke(census.member()) }
    queue.resume()
    entered.pass()

    #expect(payloads.signal.debugDescription.contains("99 pending"))
    observer.cancel()

    #expect(census.alive == 0)
    #expect(captured.value == here())
    leave.open()
    queue.sync {}
  }

  // MARK: - Bounds

  @Test func `two bounded slots of a blocked queue release every payload that is displaced`() {
    let payloads = EmitterArg<Lifetime>()
    for _ in 0..<2 { payloads.signal.buffering(.newest(1)).connect(on: queue) { $0.use() } }
    queue.suspend()

    for _ in 0..<1000 { payloads.invoke(census.member()) }

    #expect(census.alive == 1)
    queue.resume()
    queue.sync {}
    #expect(census.alive == 0)
  }

  @Test func `an emission to thousands of bounded slots takes time in proportion to them`() {
    let count = 32_000
    for _ in 0..<count { emitter.signal.buffering(.newest(1)).connect(on: queue) { _ in } }
    queue.suspend()
    defer { queue.resume() }

    // The square of the number would take a minute, and more than the time limit: `load` has the time.
    for number in 0..<8 { emitter.invoke(number) }

    #expect(emitter.signal.debugDescription.contains("1 pending, 7 dropped"))
  }

  @Test func `a slot that another slot cancels in a drain is delivered nothing twice`() async {
    let (other, log) = (EmitterArg<Int>(), Trace<Int>())
    let victim = Box<SignalObserver>()
    let third = EmitterArg<Int>()
    victim.value = other.signal.connect(on: queue) { _ in }
    emitter.signal.connect(on: queue) { value in if value == 40 { victim.value?.cancel() } }
    third.signal.connect(on: queue) { log.add($0) }
    queue.suspend()
    for number in 0..<5000 {
      emitter.invoke(number)
      other.invoke(number)
      third.invoke(number)
    }

    queue.resume()
    await until("all payloads") { log.entries.count >= 5000 }

    #expect(log.entries == Array(0..<5000))
  }

  // MARK: - Actors that die

  @Test func `12. A signal that never emits keeps nothing of actors that have died`() async {
    let payloads = EmitterArg<Lifetime>()
    let part = Part()
    let observers = Box<[SignalObserver]>([])
    for _ in 0..<100 {
      let desk = Desk()
      observers.value? += await desk.connect(part, to: [payloads])
    }

    #expect(payloads.signal.slotCount == 0)
    #expect(observers.value?.allSatisfy(\.isCancelled) == true)
    withExtendedLifetime(part) {}
  }

  @Test func `12. Connecting looks for dead actors, too`() async {
    let payloads = EmitterArg<Lifetime>()
    let part = Part()
    var observers: [Weak] = []
    for _ in 0..<10_000 {
      let desk = Desk()
      observers.append(Weak(await desk.connect(part, to: [payloads])[0]))
    }

    // The others have ended, and nobody holds them.
    #expect(observers.count { $0.observer != nil } <= 16)
    withExtendedLifetime(part) {}
  }

  @Test func `two slots of an actor that dies with payloads for both end`() async {
    let (first, second) = (EmitterArg<Lifetime>(), EmitterArg<Lifetime>())
    let part = Part()
    var desk: Desk? = Desk()
    let observers = await desk?.connect(part, to: [first, second]) ?? []
    desk = nil
    for _ in 0..<300 { first.invoke(census.member()) }
    second.invoke(census.member())

    await until("both have ended") { observers.allSatisfy { $0.isCancelled } }
    await until("all payloads are released") { census.alive == 0 }
    #expect(observers.count == 2)
    withExtendedLifetime(part) {}
  }

  // MARK: - Places

  @Test func `a queue is a place, although its label begins like those of the global queues`() {
    let queue = DispatchQueue(label: "com.apple.root.mine")
    let (other, log) = (EmitterArg<Int>(), Trace<Int>())
    emitter.signal.connect(on: queue) { log.add($0) }
    other.signal.connect(on: queue) { log.add($0) }
    queue.suspend()
    for number in 0..<10 {
      (number % 2 == 0 ? emitter : other).invoke(number)
    }

    queue.resume()
    queue.sync {}

    #expect(log.entries == Array(0..<10))
  }

  // MARK: - Code of the user that runs on release

  /// Emits, connects, cancels, and takes a lock that an emitter may hold.
  private func useEverything(_ lock: NSLock, _ log: Trace<String>) {
    emitter.invoke(0)
    let observer = emitter.signal.connect(on: queue) { _ in }
    emitter.invoke(0)
    observer.cancel()
    lock.lock()
    lock.unlock()
    log.add("done")
  }

  @Test func `7. A displaced payload, a capture and a target may use everything when they die`() {
    defer { emitter.cancelAllObservers() }
    let (lock, log) = (NSLock(), Trace<String>())
    let payloads = EmitterArg<Lifetime?>()
    @Sendable func lifetime() -> Lifetime { Lifetime { useEverything(lock, log) } }
    payloads.signal.buffering(.newest(1)).connect(on: queue) { _ in }
    queue.suspend()

    payloads.invoke(lifetime())
    payloads.invoke(nil)
    #expect(log.entries.count == 1)

    let observer = payloads.signal.connect(on: queue) { [capture = lifetime()] _ in capture.use() }
    // Another thread emits with the lock held, and may not have to wait for it.
    let (entered, leave) = (Gate(), Gate())
    let thread = RunningThread {
      lock.withLock {
        entered.open()
        for _ in 0..<100 { payloads.invoke(nil) }
        leave.pass()
      }
    }
    entered.pass()
    let canceller = RunningThread { observer.cancel() }
    leave.open()
    thread.join()
    canceller.join()
    #expect(log.entries.count == 2)

    var target: Lifetime? = lifetime()
    target.map { _ = payloads.signal.connect($0, on: queue) { _, _ in } }
    target = nil
    payloads.invoke(nil)
    #expect(log.entries.count == 3)
    queue.resume()
    queue.sync {}
  }

  // MARK: - Dead targets of a stopped queue

  @Test func `8. Payloads for a dead target do not wait for its queue`() {
    let payloads = EmitterArg<Lifetime>()
    var target: Target? = Target("target", Log())
    let observer = target.map { payloads.signal.connect($0, on: queue) { $1.use() } }
    queue.suspend()
    defer { queue.resume() }
    target = nil

    for _ in 0..<1000 { payloads.invoke(census.member()) }

    #expect(census.alive == 0)
    #expect(observer?.isCancelled == true)
  }
}

/// The identity of the calling thread.
private func here() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

/// Belongs to a ``Desk``, and may outlive it.
private final class Part: Sendable {
  func take(_ payload: Lifetime) { payload.use() }
}

private actor Desk {
  func connect(_ part: Part, to emitters: [EmitterArg<Lifetime>]) -> [SignalObserver] {
    var observers: [SignalObserver] = []
    for emitter in emitters { observers.append(emitter.signal.connect(part, Part.take)) }
    return observers
  }
}

private struct Weak {
  weak var observer: SignalObserver?

  init(_ observer: SignalObserver) { self.observer = observer }
}
