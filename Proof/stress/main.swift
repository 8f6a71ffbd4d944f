// The stress program: see `Proof/README.md`.

import Dispatch
import Foundation
import SignalObserver
import Synchronization

/// A target that counts its calls, and how many of its kind are alive.
final class Target: Sendable {
  static let alive = Atomic<Int>(0)
  let calls = Atomic<Int>(0)
  /// The number of overlapping calls of a slot that must not overlap with itself.
  let overlaps = Atomic<Int>(0)
  private let isCalled = Atomic<Bool>(false)

  init() { Self.alive.add(1, ordering: .relaxed) }
  deinit { Self.alive.subtract(1, ordering: .relaxed) }

  func count(_ value: Int) { calls.add(1, ordering: .relaxed) }

  func countAlone(_ value: Int) {
    if isCalled.exchange(true, ordering: .acquiring) { overlaps.add(1, ordering: .relaxed) }
    calls.add(1, ordering: .relaxed)
    isCalled.store(false, ordering: .releasing)
  }
}

actor Keeper {
  private var calls = 0

  func add() { calls += 1 }
  var count: Int { calls }
}

/// The objects that all threads share.
final class Stress: Sendable {
  let emitter = EmitterArg<Int>()
  let serial = DispatchQueue(label: "serial")
  let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
  // These stay connected as long as the program runs. Each must see every emission once.
  let inline = Target()
  let onQueue = Target()
  let onConcurrentQueue = Target()
  let onMain = Target()
  let keeper = Keeper()
  let isOver = Atomic<Bool>(false)
  let emissions = Atomic<Int>(0)
  let connects = Atomic<Int>(0)
  let cancels = Atomic<Int>(0)
  let callsAfterCancel = Atomic<Int>(0)
  private let observers = Mutex<[SignalObserver]>([])

  init() {
    let signal = emitter.signal
    signal.connect(inline, Target.count, .inline)
    signal.connect(onQueue, Target.countAlone, serial)
    signal.connect(onConcurrentQueue, Target.countAlone, concurrent)
    signal.connect(onMain, Target.countAlone)
    signal.connect(keeper) { keeper, _ in keeper.add() }
  }

  func emit() {
    emitter.invoke(1)
    emissions.add(1, ordering: .relaxed)
  }

  /// Emits again and again.
  ///
  /// It waits for the slowest slot, so that the number of pending deliveries is limited.
  func emitUntilOver() {
    while !isOver.load(ordering: .relaxed) {
      let slowest = min(
        onQueue.calls.load(ordering: .relaxed), onMain.calls.load(ordering: .relaxed))
      if emissions.load(ordering: .relaxed) - slowest > 10_000 { sched_yield() } else { emit() }
    }
  }

  /// Connects targets.
  ///
  /// Some of them die, and some are cancelled, twice.
  func connectUntilOver() {
    var round = 0
    while !isOver.load(ordering: .relaxed) {
      round += 1
      let target = Target()
      let places: [DispatchQueue?] = [nil, serial, concurrent]
      let observer = emitter.signal.connect(target, Target.count, places[round % 3])
      connects.add(1, ordering: .relaxed)
      if round % 4 == 0 {
        observer.suspend()
        observer.resume()
      }
      if round % 2 == 0 { withExtendedLifetime(target) { keep(observer) } }
      if round % 5 == 0 {
        observer.cancel()
        observer.cancel()
      }
      if round % 64 == 0 { _ = emitter.signal.slotCount }
    }
  }

  func cancelUntilOver() {
    var round = 0
    while !isOver.load(ordering: .relaxed) {
      round += 1
      takeObserver()?.cancel()
      cancels.add(1, ordering: .relaxed)
      if round % 64 == 0 { cancelOnQueue() }
      sched_yield()
    }
  }

  /// Cancels a slot on its own queue, after which no call may begin, whatever is pending.
  private func cancelOnQueue() {
    let watch = Watch()
    let observer = emitter.signal.connect(watch, Watch.count, serial)
    emit()
    serial.sync {
      observer.cancel()
      watch.isCancelled.store(true, ordering: .releasing)
    }
    emit()
    serial.sync {}
    callsAfterCancel.add(watch.calls.load(ordering: .relaxed), ordering: .relaxed)
  }

  private func keep(_ observer: SignalObserver) {
    observers.withLock { if $0.count < 256 { $0.append(observer) } }
  }

  private func takeObserver() -> SignalObserver? { observers.withLock { $0.popLast() } }

  /// Returns the findings, once all threads have ended and all queues are empty.
  func findings() async -> [String] {
    let count = emissions.load(ordering: .acquiring)
    var found: [String] = []
    func check(_ what: String, _ actual: Int, _ expected: Int) {
      if actual != expected { found.append("\(what): \(actual), expected \(expected)") }
    }
    // The slot of the actor is called in tasks, for which there is no other way to wait.
    for _ in 0..<12_000 where await keeper.count < count {
      try? await Task.sleep(for: .milliseconds(5))
    }
    check("inline calls", inline.calls.load(ordering: .acquiring), count)
    check("calls on the queue", onQueue.calls.load(ordering: .acquiring), count)
    check(
      "calls on the concurrent queue", onConcurrentQueue.calls.load(ordering: .acquiring), count)
    check("calls on the main queue", onMain.calls.load(ordering: .acquiring), count)
    check("calls on the actor", await keeper.count, count)
    for target in [onQueue, onConcurrentQueue, onMain] {
      check("overlaps", target.overlaps.load(ordering: .acquiring), 0)
    }
    check("calls after cancel", callsAfterCancel.load(ordering: .acquiring), 0)
    check("slots", emitter.signal.slotCount, 5)
    check("targets alive", Target.alive.load(ordering: .acquiring), 4)
    return found
  }
}

/// Counts the calls of a slot that begin after it was cancelled.
final class Watch: Sendable {
  let isCancelled = Atomic<Bool>(false)
  let calls = Atomic<Int>(0)

  func count(_ value: Int) {
    if isCancelled.load(ordering: .acquiring) { calls.add(1, ordering: .relaxed) }
  }
}

/// Waits until all work of `queue` has run, including slots that had to wait for another turn.
func drained(_ queue: DispatchQueue, until isDone: @escaping @Sendable () -> Bool) async {
  repeat {
    await withCheckedContinuation { continuation in
      queue.async(flags: .barrier) { continuation.resume() }
    }
  } while !isDone()
}

/// Runs each part on a number of threads, ends them after a time, and waits for all of them.
func runThreads(
  _ parts: [(count: Int, run: @Sendable () -> Void)], seconds: Double, over: @Sendable () -> Void
) async {
  let threads = DispatchGroup()
  for part in parts.flatMap({ Array(repeating: $0.run, count: $0.count) }) {
    threads.enter()
    Thread {
      part()
      threads.leave()
    }.start()
  }
  try? await Task.sleep(for: .seconds(seconds))
  over()
  await withCheckedContinuation { continuation in
    threads.notify(queue: .global()) { continuation.resume() }
  }
}

extension Stress {
  /// Runs all threads for a time, and returns what did not hold.
  func run(seconds: Double) async -> [String] {
    await runThreads(
      [
        (4, { self.emitUntilOver() }), (3, { self.connectUntilOver() }),
        (3, { self.cancelUntilOver() }),
      ], seconds: seconds, over: { isOver.store(true, ordering: .relaxed) })
    let count = emissions.load(ordering: .acquiring)
    for (queue, target) in [(serial, onQueue), (concurrent, onConcurrentQueue), (.main, onMain)] {
      await drained(queue) { target.calls.load(ordering: .acquiring) >= count }
    }
    return await findings()
  }
}

/// Reports a minute without progress as a finding.
func watch(_ progress: @escaping @Sendable () -> Int) {
  Thread {
    while true {
      let before = progress()
      Thread.sleep(forTimeInterval: 60)
      if progress() == before {
        print("stress: hangs")
        exit(1)
      }
    }
  }.start()
}

let arguments = CommandLine.arguments.dropFirst()
let seconds = arguments.first.flatMap(Double.init) ?? 5
let stress = Stress()
let valueStress = ValueStress()
let orderStress = OrderStress()
async let valueFindings = valueStress.run(seconds: seconds)
async let orderFindings = orderStress.run(seconds: seconds)
watch { stress.emissions.load(ordering: .relaxed) }
let findings = await stress.run(seconds: seconds) + valueFindings + orderFindings
for finding in findings.prefix(20) { print("  FAILED, \(finding)") }
print(
  "stress: \(stress.emissions.load(ordering: .relaxed)) emissions, "
    + "\(stress.connects.load(ordering: .relaxed)) connects, "
    + "\(stress.cancels.load(ordering: .relaxed)) cancels, \(valueStress.sets) sets, "
    + "\(valueStress.connects.load(ordering: .relaxed)) connects to the value, "
    + "\(orderStress.emissions) emissions in order, "
    + "\(findings.count) findings, \(seconds) s")
exit(findings.isEmpty ? 0 : 1)
