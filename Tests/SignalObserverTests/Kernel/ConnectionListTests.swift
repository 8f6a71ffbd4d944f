import CSanitizers
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class ConnectionListTests: Sendable {
  let emitter = EmitterVoid()
  let census = Census()

  // Slots that use the emitter hold it, and it holds them.
  deinit { emitter.cancelAllObservers() }

  private func connect(_ body: @escaping @Sendable () -> Void = {}) -> SignalObserver {
    let capture = census.member()
    return emitter.signal.connect(on: .inline) {
      body()
      capture.use()
    }
  }

  /// An optimised program may pass any address for `Void`.
  @Test func `a payload without a size is delivered, though its address is zero`() {
    let (log, queue) = (Log(), DispatchQueue(label: "elsewhere"))
    emitter.signal.connect(on: .inline) { log.add("inline") }
    emitter.signal.connect(on: queue) { log.add("on a queue") }

    // Nobody reads from the address.
    let nowhere: UnsafeRawPointer? = nil
    unsafe emitter.signal.list.emit(
      unsafeBitCast(nowhere, to: UnsafeRawPointer.self), from: nil)
    queue.sync {}

    #expect(log.entries == ["inline", "on a queue"])
  }

  @Test func `what is connected after the emitter's death is cancelled, also while work is left`() {
    let list = emitter.signal.list
    let early = connect()
    withExtendedLifetime(list.hold()) {
      list.finish()

      let late = connect()
      #expect(!early.isCancelled)
      #expect(late.isCancelled)
      #expect(census.alive == 1)
    }
    #expect(early.isCancelled)
    #expect(census.alive == 0)
  }

  @Test func `connections that end while they wait to be added are released after the lock`() {
    final class Capture: Sendable {
      let list: ConnectionList

      init(_ list: ConnectionList) { self.list = list }

      // Takes the lock.
      deinit { list.forEach { _ in } }
    }
    let list = ConnectionList()
    for _ in 0..<10 {
      let capture = Capture(list)
      let slot = unsafe SignalSlot<Int>(
        target: nil, .confined(onMain: false), .sync { _, _, _ in holdUntilHere(capture) }, "", 0)
      let observer = SignalObserver(slot.request, list)
      _ = list.addDeferred(observer)
      observer.cancel()
    }
    #expect(list.live { _ in }.isEmpty)
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
    _ = emitter.signal.connect(on: .inline) {
      later.value?.cancel()
      log.add("\(census.alive)")
    }
    later.value = connect()

    emitter.invoke()

    #expect(log.entries == ["0"])
  }

  @Test func `all are released but the one that is being called if a slot finishes the list`() {
    let log = Log()
    let (census, signal) = (census, emitter.signal)
    _ = connect {
      signal.list.finish()
      log.add("in the call \(census.alive)")
    }
    _ = connect { log.add("never called") }

    emitter.invoke()

    #expect(log.entries == ["in the call 1"])
    #expect(census.alive == 0)
  }

  @Test func `they are released when the call in progress returns if the slot cancels itself`() {
    let own = Box<SignalObserver>()
    let log = Log()
    let census = census
    own.value = connect {
      own.value?.cancel()
      log.add("in the call \(census.alive)")
    }
    emitter.signal.connect(on: .inline) { log.add("in the next slot \(census.alive)") }

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
    emitter.signal.connect(on: .inline) { log.add("later") }

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
    emitter.signal.connect(on: .inline) {
      first.value?.cancel()
      log.add("later \(census.alive)")
    }

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

  @Test func `compaction during an emission keeps the order, and what it has still to call`() {
    let observers = Box<[SignalObserver]>([])
    let log = Log()
    let emitter = emitter
    emitter.signal.connect(on: .inline) {
      for (index, observer) in (observers.value ?? []).enumerated() where index % 3 > 0 {
        observer.cancel()
      }
      // A full list moves as well.
      for index in 0..<100 { emitter.signal.connect(on: .inline) { log.add("new \(index)") } }
    }
    observers.value = (0..<99).map { index in connect { log.add("\(index)") } }
    let kept = stride(from: 0, to: 99, by: 3).map { "\($0)" }

    emitter.invoke()
    #expect(log.entries == kept)
    #expect(census.alive == 33)
    emitter.signal.connect(on: .inline) { log.add("last") }
    emitter.invoke()

    let second = kept + (0..<100).map { "new \($0)" } + ["last"]
    #expect(Array(log.entries.dropFirst(kept.count)) == second)
  }

  @Test func `captures are released when cancel returns in a slot, in several emissions`() {
    let observers = Box<[SignalObserver]>([])
    let log = Log()
    let census = census
    emitter.signal.connect(on: .inline) {
      observers.value?.popLast()?.cancel()
      log.add("\(census.alive)")
    }
    observers.value = (0..<3).map { _ in connect() }

    for _ in 0..<3 { emitter.invoke() }

    #expect(log.entries == ["2", "1", "0"])
  }

  @Test func `captures of a slot that emits are released when a later emission cancels it`() {
    let own = Box<SignalObserver>()
    let log = Log()
    let (census, emitter) = (census, emitter)
    let count = Atomic<Int>(0)
    own.value = connect { if count.add(1, ordering: .relaxed).oldValue == 0 { emitter.invoke() } }
    emitter.signal.connect(on: .inline) {
      // In the second of the outer emissions.
      guard count.load(ordering: .relaxed) == 3 else { return }
      own.value?.cancel()
      log.add("\(census.alive)")
    }

    emitter.invoke()
    emitter.invoke()

    #expect(log.entries == ["0"])
  }

  @Test
  func `a slot that finishes the list releases captures when it returns, also when nested`() {
    let log = Log()
    let (census, emitter) = (census, emitter)
    let depth = Atomic<Int>(0)
    _ = connect {
      if depth.add(1, ordering: .relaxed).oldValue > 0 { return }
      emitter.invoke()
      log.add("\(census.alive)")
    }
    _ = connect { emitter.signal.list.finish() }

    emitter.invoke()

    // The outer slot's own.
    #expect(log.entries == ["1"])
    #expect(census.alive == 0)
  }

  @Test func `a slot that is cancelled before it can be found is not there`() {
    let list = emitter.signal.list
    let capture = Box(census.member())
    let slot = SignalSlot<Void>(.inline, #fileID, #line) { [capture = capture.value] in
      capture?.use()
    }
    capture.value = nil
    let observer = SignalObserver(slot.request, list)

    observer.cancel()
    list.attach(observer)

    #expect(emitter.signal.slotCount == 0)
    #expect(list.snapshot.connections.isEmpty)
  }

  @Test func `what is delivered to one slot is owed to no other one`() {
    let log = Log()
    let emitter = EmitterArg<Int>()
    emitter.signal.connect(on: .inline) { log.add("other \($0)") }
    let one = emitter.signal.connect(on: .inline) { value in
      log.add("one \(value)")
      if value == 1 { emitter.invoke(2) }
    }

    unsafe withUnsafePointer(to: 1) {
      unsafe emitter.signal.list.emit($0, to: one, from: nil)
    }

    #expect(log.entries == ["one 1", "other 2", "one 2"])
    emitter.cancelAllObservers()
  }

  @Test func `slots are connected and cancelled while emissions overlap`() {
    let (emitter, census) = (emitter, census)
    let isDone = Atomic<Bool>(false)
    onThreads(3) { index in
      if index > 0 {
        while !isDone.load(ordering: .acquiring) { emitter.invoke() }
        return
      }
      for _ in 0..<3000 {
        let capture = census.member()
        let observer = emitter.signal.connect(on: .inline) { capture.use() }
        observer.cancel()
      }
      isDone.store(true, ordering: .releasing)
    }

    #expect(census.alive == 0)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a slot cancelled just as another thread's emission leaves is released`() {
    for _ in 0..<300 {
      let emitter = EmitterVoid()
      emitter.signal.connect(on: .inline) {}
      let observers = Box(
        (0..<50).map { _ in
          let capture = census.member()
          return emitter.signal.connect(on: .inline) { capture.use() }
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

  @Test func `ten thousand slots that cancel themselves in one emission leave nothing`() {
    let log = Log()
    for _ in 0..<10_000 {
      let own = Box<SignalObserver>()
      own.value = connect {
        own.value?.cancel()
        own.value = nil
      }
    }

    emitter.invoke()

    #expect(census.alive == 0)
    #expect(log.entries == [])
  }
}

/// Many of what takes time in proportion to its number, which `load` of the benchmarks measures.
@Suite(
  .serialized, .inTurn, .timeLimit(.minutes(5)),
  .disabled(
    if: built_with_thread_sanitizer(), "it has a stack of its own for calls, which is not as deep"))
struct GrowthTests {
  /// The depth needs a stack.
  private func onDeepStack(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
      _ = RunningThread(stackSize: 256 << 20) {
        work()
        done.resume()
      }
    }
  }

  @Test func `slots that cancel themselves, connect the next and emit nest 4,000 deep`() async {
    await onDeepStack {
      let depth = 4000
      let emitter = EmitterArg<Int>()
      let deepest = Box(0)
      @Sendable func connect() {
        let observer = Box<SignalObserver>()
        observer.value = emitter.signal.connect(on: .inline) { level in
          observer.value?.cancel()
          deepest.value = level
          if level == depth { return }
          connect()
          emitter.invoke(level + 1)
        }
      }
      connect()
      emitter.invoke(1)
      #expect(deepest.value == depth)
    }
  }

  @Test(arguments: [false, true])
  func `a slot cancels 16,000 others`(_ isReversed: Bool) async {
    await onDeepStack {
      let count = 16_000
      let emitter = EmitterVoid()
      let observers = Box<[SignalObserver]>([])
      emitter.signal.connect(on: .inline) {
        for observer in observers.value ?? [] { observer.cancel() }
      }
      let others = (0..<count).map { _ in emitter.signal.connect(on: .inline) {} }
      observers.value = isReversed ? others.reversed() : others
      emitter.invoke()
      #expect(emitter.signal.slotCount == 1)
    }
  }

  @Test func `16,000 slots for which something waits on a queue are cancelled`() async {
    await onDeepStack {
      let count = 16_000
      let emitter = EmitterArg<Int>()
      let queue = DispatchQueue(label: "growth")
      queue.suspend()
      let observers = (0..<count).map { _ in emitter.signal.connect(on: queue) { _ in } }
      for number in 0..<4 { emitter.invoke(number) }
      for observer in observers { observer.cancel() }
      queue.resume()
      #expect(emitter.signal.slotCount == 0)
    }
  }
}
