// What the library promises under load, with generous limits: `load` prints each figure with its
// limit, and fails if one does not hold.

import CAllocations
import Dispatch
import Foundation
import Observation
import SignalObserver

final class Counter: @unchecked Sendable {
  private(set) var calls = 0
  private(set) var isInOrder = true

  func receive(_ number: Int) {
    if number != calls { isInOrder = false }
    calls += 1
  }
}

// The main thread writes it, or a thread that the main thread waits for.
nonisolated(unsafe) var failures = 0

func report(_ what: String, _ value: Double, limit: Double, _ unit: String) {
  let holds = value <= limit
  if !holds { failures += 1 }
  print(
    holds ? "ok    " : "FAILED", "\(what): \(String(format: "%.4g", value)) \(unit),",
    "at most \(String(format: "%g", limit))")
}

func require(_ what: String, _ holds: Bool) {
  if !holds { failures += 1 }
  print(holds ? "ok    " : "FAILED", what)
}

/// Processor time, which does not count what else the machine does.
func seconds(_ work: () -> Void) -> Double {
  let start = clock()
  work()
  return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

// MARK: - 100,000 slots on one signal

func manySlots() {
  let count = 100_000
  let orders: [(String, ([SignalObserver]) -> [SignalObserver])] = [
    ("in order", { $0 }), ("in reverse", { $0.reversed() }),
    // A stride that has no factor in common with the count visits each once.
    ("at random", { all in all.indices.map { all[$0 * 61_027 % all.count] } }),
  ]
  for (name, order) in orders {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    var observers: [SignalObserver] = []
    observers.reserveCapacity(count)
    let connecting = seconds {
      for _ in 0..<count {
        observers.append(emitter.signal.connect(counter, Counter.receive, .inline))
      }
    }
    report("\(count) slots connected", connecting, limit: 0.2, "s")
    emitter.invoke(0)
    require("each of them called", counter.calls == count)
    observers = order(observers)
    let cancelling = seconds { for observer in observers { observer.cancel() } }
    report("\(count) slots cancelled \(name)", cancelling, limit: 1, "s")
    require("none of them left", emitter.signal.slotCount == 0)
  }
}

// MARK: - Growth

final class Nesting: @unchecked Sendable {
  let emitter = EmitterArg<Int>()
  let depth: Int

  init(depth: Int) { self.depth = depth }

  /// A slot that cancels itself, connects the next and emits.
  func connect() {
    final class Box: @unchecked Sendable { var observer: SignalObserver? }
    let box = Box()
    box.observer = emitter.signal.connect(on: .inline) { [unowned self] level in
      box.observer?.cancel()
      if level == depth { return }
      connect()
      emitter.invoke(level + 1)
    }
  }
}

/// Runs `work` on a thread with room for deep nesting, and waits for its end.
func onDeepStack(_ work: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  let thread = Thread {
    work()
    ended.signal()
  }
  thread.stackSize = 256 << 20
  thread.start()
  ended.wait()
}

/// 16 times as much may take 64 times as long, where the square would take 256 times as long.
func growth() {
  func linear(_ what: String, from count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    onDeepStack {
      work(count)
      let few = (0..<3).map { _ in seconds { work(count) } }.min() ?? 0
      let many = (0..<3).map { _ in seconds { work(16 * count) } }.min() ?? 0
      report("\(what), 16 times as many", many / few, limit: 64, "times as long")
    }
  }
  linear("slots that cancel themselves, connect the next and emit", from: 250) { depth in
    let nesting = Nesting(depth: depth)
    nesting.connect()
    nesting.emitter.invoke(1)
  }
  for isReversed in [false, true] {
    linear("cancelled by a slot\(isReversed ? " in reverse" : "")", from: 1000) { count in
      final class Box: @unchecked Sendable { var observers: [SignalObserver] = [] }
      let (emitter, box) = (EmitterVoid(), Box())
      emitter.signal.connect(on: .inline) { for observer in box.observers { observer.cancel() } }
      let others = (0..<count).map { _ in emitter.signal.connect(on: .inline) {} }
      box.observers = isReversed ? others.reversed() : others
      emitter.invoke()
    }
  }
  linear("cancelled while something waits on a queue", from: 1000) { count in
    let (emitter, queue) = (EmitterArg<Int>(), DispatchQueue(label: "growth"))
    queue.suspend()
    let observers = (0..<count).map { _ in emitter.signal.connect(on: queue) { _ in } }
    for number in 0..<4 { emitter.invoke(number) }
    for observer in observers { observer.cancel() }
    queue.resume()
  }
}

// MARK: - Floods to a queue that does not run

/// Emits `count` times to a suspended queue, from several signals in turn.
///
/// All of the payloads wait.
func unboundedFlood(signals: Int, limit: Double) {
  let count = 1_000_000
  let emitters = (0..<signals).map { _ in EmitterArg<Int>() }
  let counter = Counter()
  let queue = DispatchQueue(label: "busy")
  for emitter in emitters { emitter.signal.connect(counter, Counter.receive, queue) }
  queue.suspend()
  let before = allocations_live_bytes()
  let emitting = seconds { for number in 0..<count { emitters[number % signals].invoke(number) } }
  let bytes = Double(allocations_live_bytes() - before) / Double(count)
  let what = signals == 1 ? "one signal" : "\(signals) signals in turn"
  if allocations_are_counted() {
    report("memory of a pending number, \(what)", bytes, limit: limit, "bytes")
  }
  report("\(count) emissions to a suspended queue, \(what)", emitting, limit: 1, "s")
  queue.resume()
  let deadline = Date(timeIntervalSinceNow: 60)
  while queue.sync(execute: { counter.calls }) < count, Date() < deadline {}
  require("none of \(count) deliveries lost", queue.sync { counter.calls } == count)
  require("all of them in order", queue.sync { counter.isInOrder })
}

/// What a bound does not keep is dropped, and counted.
func boundedFlood() {
  let count = 10_000_000
  let emitter = EmitterArg<Int>()
  let queue = DispatchQueue(label: "busy")
  let last = Newest()
  let observer = emitter.signal.buffering(.newest(1)).connect(last, Newest.receive, queue)
  queue.suspend()
  for number in -1000..<0 { emitter.invoke(number) }
  let before = allocations_live_bytes()
  let emitting = seconds { for number in 0..<count { emitter.invoke(number) } }
  let bytes = allocations_live_bytes() - before
  if allocations_are_counted() {
    report(
      "memory that \(count) emissions to a bounded slot add", Double(bytes), limit: 4096, "bytes")
  }
  report("\(count) emissions to a bounded slot", emitting, limit: 10, "s")
  queue.resume()
  while queue.sync(execute: { last.calls }) == 0 {}
  require("the newest is delivered", queue.sync { last.number } == count - 1)
  require("the others are counted", observer.droppedCount == count + 1000 - 1)
}

final class Newest: @unchecked Sendable {
  private(set) var number = -1
  private(set) var calls = 0

  func receive(_ number: Int) {
    self.number = number
    calls += 1
  }
}

/// Connections that are made and cancelled with something pending, on a queue that does not run.
func churnOnBlockedQueue() {
  let count = 1_000_000
  let emitter = EmitterArg<Int>()
  let queue = DispatchQueue(label: "busy")
  let counter = Counter()
  queue.suspend()
  func rounds(_ count: Int) {
    for number in 0..<count {
      let observer = emitter.signal.connect(counter, Counter.receive, queue)
      emitter.invoke(number)
      observer.cancel()
    }
  }
  rounds(1000)
  let before = allocations_live_bytes()
  let taken = seconds { rounds(count) }
  let bytes = allocations_live_bytes() - before
  if allocations_are_counted() {
    report(
      "memory that \(count) connects and cancels add", Double(bytes), limit: 4096, "bytes")
  }
  report("\(count) connects and cancels with something pending", taken, limit: 10, "s")
  queue.resume()
  queue.sync {}
  require("none of them was called", counter.calls == 0)
}

// MARK: - An actor that is busy

actor SlowActor {
  private let hold = DispatchSemaphore(value: 0)
  private(set) var numbers: [Int] = []

  nonisolated func letGo() { hold.signal() }

  /// The first call of the slot takes as long as the flood.
  func receive(_ number: Int) {
    if numbers.isEmpty { hold.wait() }
    numbers.append(number)
  }
}

/// Runs `work` in a task, and waits for it on this thread.
func finish(_ work: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    await work()
    done.signal()
  }
  done.wait()
}

func slowActor(_ buffering: SignalBuffering, keeps: Int) async {
  let count = 200_000
  let emitter = EmitterArg<Int>()
  let actor = SlowActor()
  let observer = emitter.signal.buffering(buffering).connect(actor) { actor, number in
    actor.receive(number)
  }
  let emitting = seconds { for number in 0..<count { emitter.invoke(number) } }
  actor.letGo()
  report("\(count) emissions to a slow actor, \(buffering)", emitting, limit: 1, "s")
  while await actor.numbers.last != count - 1 { await Task.yield() }
  let numbers = await actor.numbers
  require("all that is not dropped is delivered", numbers.count + observer.droppedCount == count)
  require("in order", zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
  report(
    "deliveries, \(buffering)", Double(numbers.count), limit: Double(keeps), "deliveries")
}

// MARK: - Ten slots of one queue

/// The state that other work of a queue finds at its turn.
final class OtherWork: @unchecked Sendable {
  private(set) var time: UInt64 = 0
  private(set) var calls = 0

  func run(_ counter: Counter) {
    (time, calls) = (DispatchTime.now().uptimeNanoseconds, counter.calls)
  }
}

/// How long other work of a queue waits where ten slots have much to do, in that of one mailbox by hand.
func otherWork() {
  let (count, slots) = (20_000, 10)
  func waiting(_ counter: Counter, _ fill: (DispatchQueue) -> Void) -> (time: Double, calls: Int) {
    let queue = DispatchQueue(label: "busy")
    let done = DispatchSemaphore(value: 0)
    let other = OtherWork()
    queue.suspend()
    fill(queue)
    queue.async {
      other.run(counter)
      done.signal()
    }
    let start = DispatchTime.now().uptimeNanoseconds
    queue.resume()
    done.wait()
    let deadline = Date(timeIntervalSinceNow: 60)
    while queue.sync(execute: { counter.calls }) < count * slots, Date() < deadline {}
    require("all deliveries made", queue.sync { counter.calls } == count * slots)
    return (Double(other.time - start), other.calls)
  }
  func both() -> (calls: Int, ratio: Double) {
    let counter = Counter()
    let emitter = EmitterArg<Int>()
    let ours = waiting(counter) { queue in
      for _ in 0..<slots { emitter.signal.connect(counter, Counter.receive, queue) }
      for number in 0..<count { emitter.invoke(number) }
    }
    let handCounter = Counter()
    let byHand = waiting(handCounter) { queue in
      let numbers = (0..<count * slots).map { $0 }
      queue.async { for number in numbers { handCounter.receive(number) } }
    }
    return (ours.calls, ours.time / byHand.time)
  }
  // This takes the least of several times, because another program may have had the processor
  // meanwhile.
  let runs = (0..<5).map { _ in both() }
  report(
    "deliveries before other work", Double(runs.map(\.calls).max() ?? 0), limit: 128, "deliveries")
  report(
    "how long other work waits, in that of a mailbox by hand", runs.map(\.ratio).min() ?? 0,
    limit: 1,
    "times")
}

// MARK: - 10,000 slots on the main queue

func slotsOnMain() {
  let count = 10_000
  let emitter = EmitterArg<Int>()
  let counter = Counter()
  let connecting = seconds {
    for slot in 0..<count {
      emitter.signal.connect { @MainActor (_: Int) in counter.receive(slot) }
    }
  }
  report("\(count) slots connected on the main queue", connecting, limit: 0.2, "s")
  // This emits on another thread, so that all of them wait.
  let done = DispatchSemaphore(value: 0)
  let before = allocations_live_bytes()
  Thread {
    let emitting = seconds { emitter.invoke(1) }
    DispatchQueue.main.async {
      report("an emission to \(count) slots on the main queue", emitting, limit: 0.1, "s")
    }
    done.signal()
  }.start()
  done.wait()
  if allocations_are_counted() {
    report(
      "memory of what waits for \(count) slots",
      Double(allocations_live_bytes() - before) / Double(count), limit: 60, "bytes a slot")
  }
  let deadline = Date(timeIntervalSinceNow: 60)
  while counter.calls < count, Date() < deadline {
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
  }
  require("each of them called", counter.calls == count)
  require("in the order in which they were connected", counter.isInOrder)
}

// MARK: - Dead slots on a signal that is never emitted

func deadSlots() {
  let emitter = EmitterArg<Int>()
  let living = (0..<1000).map { _ in Counter() }
  let empty = allocations_live_bytes()
  for counter in living { emitter.signal.connect(counter, Counter.receive, .inline) }
  let live = allocations_live_bytes() - empty
  for _ in 0..<1_000_000 { emitter.signal.connect(Counter(), Counter.receive, nil) }
  let dead = allocations_live_bytes() - empty - live
  report(
    "memory after 1000000 targets died, in that of 1000 live slots",
    Double(dead) / Double(live), limit: 3, "times")
  require("live slots are still connected", emitter.signal.slotCount == living.count)
}

// MARK: - 1,000,000 slots freed on a small stack

func smallStack() {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let counter = Counter()
    for _ in 0..<1_000_000 { emitter?.signal.connect(counter, Counter.receive, .inline) }
    emitter = nil
    done.signal()
  }
  thread.stackSize = 512 * 1024
  thread.start()
  require(
    "1000000 slots freed on a stack of 512 KiB", done.wait(timeout: .now() + 60) == .success)
}

// MARK: - Values

/// Two threads set a large value that has no slots, as fast as they can.
func setters() {
  let value = EmitterValue([UInt8](repeating: 0, count: 1024))
  let count = 500_000
  let running = DispatchGroup()
  let (begin, before) = (DispatchTime.now(), allocations_live_bytes())
  for number in 0..<2 {
    let thread = Thread {
      for _ in 0..<count { value.set([UInt8](repeating: UInt8(number), count: 1024)) }
      running.leave()
    }
    running.enter()
    thread.start()
  }
  var most = 0
  while running.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
    most = max(most, allocations_live_bytes() - before)
    if DispatchTime.now() > begin + .seconds(60) { break }
  }
  report("memory while two threads set a value of 1 KiB", Double(most), limit: 65_536, "bytes")
}

final class Plain { @EmitterValue var table: [Int: Int] = [:] }

@Observable final class Observed { var table: [Int: Int] = [:] }

/// A dictionary that is changed in place, beside that of an observable class.
func changesInPlace() {
  let count = 40_000
  func change(_ count: Int) -> (ours: Double, observed: Double) {
    let (plain, observed) = (Plain(), Observed())
    plain.$table.connect(on: .inline) { _ in }
    return (
      seconds { for number in 0..<count { plain.table[number] = number } },
      seconds { for number in 0..<count { observed.table[number] = number } }
    )
  }
  _ = change(1000)
  let runs = (0..<5).map { _ in change(count) }
  let small = (0..<5).map { _ in change(count / 4) }
  let ours = runs.map(\.ours).min() ?? 0
  report(
    "\(count) changes of a dictionary in a value, beside @Observable",
    ours / (runs.map(\.observed).min() ?? 1), limit: 3, "times")
  report(
    "the same, beside a quarter of them", ours / (small.map(\.ours).min() ?? 1), limit: 8, "times")
}

// MARK: - Depth

/// Where the stack is, about.
@inline(never)
func stackAddress() -> Int {
  var here = 0
  return withUnsafeMutablePointer(to: &here) { Int(bitPattern: $0) }
}

/// Chains of emitters or values, each of which makes the next one emit, on one thread.
final class Chain: @unchecked Sendable {
  let count: Int
  private var (first, last) = (0, 0)
  private var stages: [Any] = []

  init(_ count: Int) { self.count = count }

  func emitters(_ connect: (EmitterArg<Int>, EmitterArg<Int>) -> Void) -> (Int) -> Void {
    let all = (0...count).map { _ in EmitterArg<Int>() }
    measure(all[0].signal, all[count].signal)
    for (emitter, next) in zip(all, all.dropFirst()) { connect(emitter, next) }
    stages = all
    return { all[0].invoke($0) }
  }

  func values(_ connect: (EmitterValue<Int>, EmitterValue<Int>) -> Void) -> (Int) -> Void {
    let all = (0...count).map { _ in EmitterValue(0) }
    measure(all[0].signal, all[count].signal)
    for (value, next) in zip(all, all.dropFirst()) { connect(value, next) }
    stages = all
    return { all[0].set($0) }
  }

  private func measure(_ begin: some SignalSource<Int>, _ end: some SignalSource<Int>) {
    begin.connect(on: .inline) { [unowned self] _ in first = stackAddress() }
    end.connect(on: .inline) { [unowned self] _ in last = stackAddress() }
  }

  /// Bytes of stack for each stage of the last emission.
  var bytes: Double { Double(abs(first - last)) / Double(count) }
}

/// What a level of nested emissions costs.
///
/// Each emission looks for outer ones of the same signal, and each binding for the one that it would
/// return to. Neither looks at the whole chain, so the time grows with the depth, and not with its
/// square.
func depth() {
  let chains:
    [(name: String, bytes: Double, milliseconds: Double, make: @Sendable (Chain) -> (Int) -> Void)] =
      [
        (
          "from emitter to emitter", 400, 2,
          {
            $0.emitters { emitter, next in emitter.signal.connect(on: .inline) { next.invoke($0) } }
          }
        ),
        (
          "from value to value", 900, 2,
          { $0.values { value, next in value.signal.connect(on: .inline) { next.set($0) } } }
        ),
        (
          "from emitter through map and bind", 600, 4,
          { $0.emitters { $0.signal.map { $0 + 1 }.bind(to: $1) } }
        ),
        (
          "from value through map and bind", 1200, 4,
          { $0.values { $0.signal.map { $0 + 1 }.bind(to: $1) } }
        ),
      ]
  for (name, bytes, milliseconds, make) in chains {
    onDeepStack {
      let chain = Chain(2000)
      let emit = make(chain)
      let times = (1...5).map { number in seconds { emit(number) } }
      report("stack of a level \(name)", chain.bytes, limit: bytes, "bytes")
      report("\(chain.count) levels \(name)", (times.min() ?? 0) * 1000, limit: milliseconds, "ms")
    }
  }
}

// MARK: - Ticks

/// The time of 100 ticks of 20 ms, whose slot works for 4 ms: the shortest of three runs.
func ticksOnTime() {
  final class Result: @unchecked Sendable { var time = Duration.zero }
  let times = (0..<3).map { _ in
    let (result, ended, start) = (Result(), DispatchSemaphore(value: 0), ContinuousClock.now)
    let observer = ticks(every: .milliseconds(20)).connect(on: .inline) { number in
      let begin = ContinuousClock.now
      if number >= 100, result.time == .zero {
        result.time = begin - start
        ended.signal()
      }
      while .now - begin < .milliseconds(4) {}
    }
    ended.wait()
    observer.cancel()
    return result.time / .milliseconds(1)
  }
  let time = times.min() ?? 0
  report("100 ticks of 20 ms, with 4 ms of work in the slot", time, limit: 2040, "ms")
  require("no tick is early", time >= 2000)
}

if CommandLine.arguments.contains("ticks") {
  ticksOnTime()
  exit(failures == 0 ? 0 : 1)
}
depth()
manySlots()
growth()
// This runs before the tests that leave queues and threads behind, which free their memory later.
if allocations_are_counted() {
  deadSlots()
  setters()
} else {
  print(
    "skipped: memory of dead slots and of setters (allocations cannot be counted on this platform)")
}
unboundedFlood(signals: 1, limit: 10)
unboundedFlood(signals: 2, limit: 26)
boundedFlood()
churnOnBlockedQueue()
finish { await slowActor(.unbounded, keeps: 200_000) }
finish { await slowActor(.newest(10), keeps: 10 + 128) }
otherWork()
slotsOnMain()
ticksOnTime()
smallStack()
changesInPlace()
exit(failures == 0 ? 0 : 1)
