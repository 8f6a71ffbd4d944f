// What the library promises under load, with generous limits: `load` prints each figure with its
// limit, and fails if one does not hold.

import CAllocations
import Dispatch
import Foundation
import SignalObserver

final class Counter: @unchecked Sendable {
  private(set) var calls = 0
  private(set) var isInOrder = true

  func receive(_ number: Int) {
    if number != calls { isInOrder = false }
    calls += 1
  }
}

// Only the main thread writes it.
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
      for _ in 0..<count { observers.append(emitter.signal.connect(counter, Counter.receive, nil)) }
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

// MARK: - 1,000,000 pending deliveries

func manyPending() {
  let count = 1_000_000
  let emitter = EmitterArg<Int>()
  let counter = Counter()
  let queue = DispatchQueue(label: "busy")
  emitter.signal.connect(counter, Counter.receive, queue)
  queue.suspend()
  let before = allocations_resident_bytes()
  for number in 0..<count { emitter.invoke(number) }
  let bytes = Double(allocations_resident_bytes() - before) / Double(count)
  report("resident memory of a pending delivery", bytes, limit: 256, "bytes")
  queue.resume()
  let deadline = Date(timeIntervalSinceNow: 60)
  while queue.sync(execute: { counter.calls }) < count, Date() < deadline {}
  require("none of \(count) deliveries lost", queue.sync { counter.calls } == count)
  require("all of them in order", queue.sync { counter.isInOrder })
}

// MARK: - Dead slots on a signal that is never emitted

func deadSlots() {
  let emitter = EmitterArg<Int>()
  let living = (0..<1000).map { _ in Counter() }
  let empty = allocations_live_bytes()
  for counter in living { emitter.signal.connect(counter, Counter.receive, nil) }
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
    for _ in 0..<1_000_000 { emitter?.signal.connect(counter, Counter.receive, nil) }
    emitter = nil
    done.signal()
  }
  thread.stackSize = 512 * 1024
  thread.start()
  require(
    "1000000 slots freed on a stack of 512 KiB", done.wait(timeout: .now() + 60) == .success)
}

manySlots()
manyPending()
if allocations_are_counted() {
  deadSlots()
} else {
  print("skipped: memory of dead slots (allocations cannot be counted on this platform)")
}
smallStack()
exit(failures == 0 ? 0 : 1)
