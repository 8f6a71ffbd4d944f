import Dispatch
import SignalObserver
import Synchronization
import Testing

/// Delivery to an actor is first in, first out, and costs one drain for a burst.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ActorDeliveryTests {
  @Test func `a burst costs a job for a batch, not one for each emission`() async {
    let emitter = EmitterArg<Int>()
    let store = CountingStore(1000)
    emitter.signal.connect(store) { store, number in store.add(number) }

    store.executor.queue.suspend()
    for number in 0..<1000 { emitter.invoke(number) }
    store.executor.queue.resume()
    await store.isFull.wait()

    #expect(store.executor.jobCount < 20)
    #expect(await store.numbers == Array(0..<1000))
  }

  @Test func `8 threads deliver to an actor in the order of each`() async {
    let emitter = EmitterArg<Stamp>()
    let store = CountingStore(Threads.emissions)
    emitter.signal.connect(store) { store, stamp in store.add(stamp.thread * 10_000 + stamp.index) }

    Threads.emit { emitter.invoke($0) }
    await store.isFull.wait()

    let numbers = await store.numbers
    for thread in 0..<Threads.count {
      #expect(
        numbers.filter { $0 / 10_000 == thread }
          == (0..<Threads.emissionsEach).map { thread * 10_000 + $0 })
    }
  }

  @Test func `an order that threads agree on is the order of delivery`() async {
    let emitter = EmitterArg<Int>()
    let store = CountingStore(Threads.emissions)
    emitter.signal.connect(store) { store, number in store.add(number) }
    let next = Mutex(0)

    Threads.emit { _ in
      // Emits under a lock of the test's own: that is the order.
      next.withLock { next in
        emitter.invoke(next)
        next += 1
      }
    }
    await store.isFull.wait()

    #expect(await store.numbers == Array(0..<Threads.emissions))
  }

  @Test func `the death of an actor ends its slots and drops what is pending`() async {
    let emitter = EmitterArg<Int>()
    var store: CountingStore? = CountingStore(1)
    let executor = store?.executor ?? QueueExecutor()
    let observer = emitter.signal.connect(store ?? CountingStore(1)) { $0.add($1) }

    executor.queue.suspend()
    store = nil
    emitter.invoke(1)
    executor.queue.resume()

    await observer.hasEnded()
    #expect(emitter.signal.slotCount == 0)
    #expect(executor.jobCount == 0)
  }

  @Test func `an actor that connects an object of its own is not kept by the signal`() async {
    let emitter = EmitterArg<Int>()
    let isGone = Gate()

    await { await Owner(isGone).connect(emitter) }()

    await isGone.wait()
    emitter.invoke(1)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `an actor that owns the emitter that it connects itself to is released`() async {
    let isGone = Gate()

    weak var owner: EmittingOwner?

    await {
      let made = EmittingOwner(isGone)
      owner = made
      await made.run()
    }()

    await isGone.wait()
    #expect(owner == nil)
  }

  @Test func `8. The slots of an actor that dies between two drains end`() async {
    let emitter = EmitterArg<Int>()
    let part = Part()
    let executor = QueueExecutor()
    let isGone = Gate()
    var owner: QueuedOwner? = QueuedOwner(executor, isGone)
    let observer = await owner?.connect(part, to: emitter)
    executor.queue.suspend()
    let jobs = executor.jobCount
    for number in 0..<300 { emitter.invoke(number) }
    await until("the drain has asked for its turn") { executor.jobCount > jobs }
    // The drain alone holds the owner, until it has had that turn.
    owner = nil
    executor.queue.resume()

    await isGone.wait()
    await observer?.hasEnded()
    #expect(part.count == 128)
    #expect(emitter.signal.slotCount == 0)
  }
}

private actor CountingStore {
  nonisolated let executor = QueueExecutor()
  nonisolated let isFull = Gate()
  private let limit: Int
  private(set) var numbers: [Int] = []

  init(_ limit: Int) { self.limit = limit }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func add(_ number: Int) {
    numbers.append(number)
    if numbers.count == limit { isFull.open() }
  }
}

private final class Part: Sendable {
  private let taken = Atomic(0)

  var count: Int { taken.load(ordering: .relaxed) }

  func take(_ number: Int) { taken.add(1, ordering: .relaxed) }
}

private actor Owner {
  private let part = Part()
  private let isGone: Gate

  init(_ isGone: Gate) { self.isGone = isGone }

  deinit { isGone.open() }

  func connect(_ emitter: EmitterArg<Int>) {
    emitter.signal.connect(part, Part.take)
  }
}

private actor EmittingOwner {
  @EmitterArg<Int> private var changed
  private let part = Part()
  private let isGone: Gate
  private var sum = 0

  init(_ isGone: Gate) { self.isGone = isGone }

  deinit { isGone.open() }

  func run() async {
    changed.connect(self) { me, number in me.sum += number }
    changed.connect(self) { me, number in await me.handle(number) }
    changed.connect(self, EmittingOwner.handle)
    changed.connect(part, Part.take)
    _changed.invoke(1)
    await handle(1)
  }

  func handle(_ number: Int) async { sum += number }
}

/// An owner whose turns a test can hold up.
private actor QueuedOwner {
  private nonisolated let executor: QueueExecutor
  private let isGone: Gate

  init(_ executor: QueueExecutor, _ isGone: Gate) {
    self.executor = executor
    self.isGone = isGone
  }

  deinit { isGone.open() }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func connect(_ part: Part, to emitter: EmitterArg<Int>) -> SignalObserver {
    emitter.signal.connect(part, Part.take)
  }
}
