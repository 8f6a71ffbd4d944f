import CAllocationCount
import Dispatch
import Foundation
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct MemoryTests {
  let census = Census()

  private func connect(to emitter: EmitterVoid, _ target: Target? = nil) -> SignalObserver {
    let capture = census.member()
    if let target { return emitter.signal.connect(target, on: .inline) { _, _ in capture.use() } }
    return emitter.signal.connect(on: .inline) { capture.use() }
  }

  @Test
  func
    `12. Dead and cancelled slots cost nothing for long: a signal that is never emitted holds memory in proportion to its live slots`()
  {
    let emitter = EmitterVoid()
    let live = Target("live", Log())
    for _ in 0..<10 { _ = connect(to: emitter, live) }

    for _ in 0..<10_000 { _ = connect(to: emitter, Target("dead", Log())) }

    // Room for twice the live slots, and the least that a list has room for.
    #expect(census.alive <= 10 * 2 + 4)
    withExtendedLifetime(live) {}
  }

  @Test func `12. Dead slots cost nothing for long where many live ones were`() {
    let (emitter, bag) = (EmitterVoid(), ObserverBag())
    for _ in 0..<10_000 { bag.insert(connect(to: emitter)) }
    bag.cancelAll()
    #expect(census.alive == 0)

    for _ in 0..<10_000 { _ = connect(to: emitter, Target("dead", Log())) }
    #expect(census.alive <= 8)

    struct Weak {
      // Weak: to count those that the bag holds.
      weak var observer: SignalObserver?
    }
    let observers = (0..<10_000).map { _ in
      let observer = connect(to: emitter)
      observer.cancel()
      bag.insert(observer)
      return Weak(observer: observer)
    }
    #expect(observers.count { $0.observer != nil } <= 32)
  }

  @Test func `12. Slots that are cancelled are released without an emission, in any order`() {
    let emitter = EmitterVoid()
    var observers = (0..<5000).map { _ in connect(to: emitter) }
    for observer in observers[..<2000] { observer.cancel() }
    for observer in observers[3000...].reversed() { observer.cancel() }
    #expect(census.alive == 1000)

    var numbers = Numbers(seed: 1)
    observers = observers[2000..<3000].shuffled(using: &numbers)
    for observer in observers { observer.cancel() }

    #expect(census.alive == 0)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test(arguments: [false, true])
  func `12. Connections that end while they wait for their turn cost nothing for long`(
    isReplay: Bool
  ) {
    struct Weak {
      // Weak: to count those that are left.
      weak var observer: SignalObserver?
    }
    let (emitter, value) = (EmitterArg<Int>(), EmitterValue(0))
    let recent = emitter.signal.replay(1)
    let (hasBegun, mayEnd, calls) = (Gate(), Gate(), Trace<Int>())
    let queue = DispatchQueue(label: "another thread")
    let slot = { @Sendable (number: Int) in
      guard number == 1 else { return }
      hasBegun.open()
      mayEnd.pass()
    }
    _ = isReplay ? recent.connect(on: .inline, slot) : value.signal.connect(on: .inline, slot)
    queue.async { if isReplay { emitter.invoke(1) } else { value.set(1) } }
    hasBegun.pass()

    func connect(_ slot: @escaping @Sendable (Int) -> Void) -> SignalObserver {
      isReplay ? recent.connect(on: .inline, slot) : value.signal.connect(on: .inline, slot)
    }
    var connections: [Weak] = []
    let first = connect { calls.add($0) }
    for _ in 0..<10_000 {
      let observer = connect { _ in }
      observer.cancel()
      connections.append(Weak(observer: observer))
    }
    let last = connect { calls.add($0 * 10) }

    #expect(connections.count { $0.observer != nil } <= 20)
    if isReplay { emitter.invoke(2) } else { value.set(2) }
    mayEnd.open()
    queue.sync {}
    #expect(calls.entries == [1, 10, 2, 20])
    for observer in [first, last] { observer.cancel() }
    emitter.cancelAllObservers()
    value.cancelAllObservers()
  }

  @Test func `12. Pending payloads are released when they are delivered and when they are dropped`()
  {
    let emitter = EmitterArg<Lifetime>()
    let queue = DispatchQueue(label: "memory")
    let hold = Gate()
    queue.async { hold.pass() }
    let observers = (0..<2).map { _ in emitter.signal.connect(on: queue) { $0.use() } }
    for _ in 0..<100 { emitter.invoke(census.member()) }
    #expect(census.alive == 100)

    observers[0].cancel()
    hold.open()
    queue.sync {}
    queue.sync {}

    #expect(census.alive == 0)
  }

  @Test func `12. A million slots are freed without recursion`() {
    let census = census
    // 64 KiB of stack would not do for a thousand frames of a release each.
    RunningThread(stackSize: 64 * 1024) {
      let emitter = EmitterVoid()
      let capture = census.member()
      // A tenth is as many times too many for the stack, too.
      let count = times(1_000_000)
      for _ in 0..<count { emitter.signal.connect(on: .inline) { capture.use() } }
      #expect(emitter.signal.slotCount == count)
    }.join()

    #expect(census.alive == 0)
  }

  @Test(.enabled(if: allocation_count_is_available()))
  func `12. What a flood on a queue has needed is given back`() async {
    // In a process of its own, where nothing else takes memory.
    await #expect(processExitsWith: .success) {
      let emitter = EmitterArg<SIMD64<Int64>>()
      let queue = DispatchQueue(label: "memory")
      let calls = Calls()
      let isOver = DispatchSemaphore(value: 0)
      emitter.signal.connect(on: queue) { _ in
        calls.add()
        if calls.count == 100_000 { isOver.signal() }
      }
      let before = allocated_bytes()
      queue.suspend()
      for _ in 0..<100_000 { emitter.invoke(.zero) }
      let flood = allocated_bytes() - before
      queue.resume()
      // Not by `sync` in turn with the drains: Dispatch would keep more objects for reuse.
      isOver.wait()
      queue.sync {}
      let left = allocated_bytes() - before

      #expect(flood > 100_000 * MemoryLayout<SIMD64<Int64>>.size)
      #expect(left < 64 * 1024)
    }
  }
}
