// The stress program: see `Proof/README.md`.

import Dispatch
import Foundation
import SignalObserver
import Synchronization

/// The thread that has sent a payload, and the number of the payload among all that the thread has
/// sent.
struct Stamp: Sendable {
  let thread: Int
  let number: Int
}

/// A slot that stays connected, and must see every payload once, those of each thread in order.
final class Permanent: Sendable {
  private let state = Mutex((next: [Int: Int](), calls: 0, mistakes: 0))
  private let callsInProgress = Atomic<Int>(0)
  private let mayOverlap: Bool

  init(mayOverlap: Bool) { self.mayOverlap = mayOverlap }

  var calls: Int { state.withLock { $0.calls } }
  var mistakes: Int { state.withLock { $0.mistakes } }

  func receive(_ stamp: Stamp) {
    let isAlone = callsInProgress.add(1, ordering: .relaxed).newValue == 1
    state.withLock { state in
      let isNext = state.next[stamp.thread, default: 0] == stamp.number
      if !isNext || !isAlone && !mayOverlap { state.mistakes += 1 }
      state.next[stamp.thread] = stamp.number + 1
      state.calls += 1
    }
    callsInProgress.subtract(1, ordering: .relaxed)
  }
}

/// A target that dies, and knows how many of its kind are alive.
final class Mortal: Sendable {
  static let alive = Atomic<Int>(0)
  private let isCancelled = Atomic<Bool>(false)
  private let calls = Atomic<Int>(0)

  init() { Self.alive.add(1, ordering: .relaxed) }
  deinit { Self.alive.subtract(1, ordering: .relaxed) }

  /// How many calls have begun after the slot was cancelled.
  var callsAfterCancel: Int { calls.load(ordering: .relaxed) }

  func cancel() { isCancelled.store(true, ordering: .releasing) }

  func receive(_ stamp: Stamp) {
    if isCancelled.load(ordering: .acquiring) { calls.add(1, ordering: .relaxed) }
  }
}

actor Keeper {}

/// Threads that emit on three signals in turn, while others connect, suspend and cancel there.
final class Stress: Sendable {
  private let emitters = (0..<3).map { _ in EmitterArg<Stamp>() }
  private let serial = DispatchQueue(label: "serial")
  private let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
  private let keeper = Keeper()
  private let permanents = ["inline", "queue", "concurrent queue", "main queue", "actor"]
    .map { (place: $0, slot: Permanent(mayOverlap: $0 == "inline")) }
  private let observers = Mutex<[SignalObserver]>([])
  private let callsAfterCancel = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)
  private let sent = Atomic<Int>(0)
  private let connects = Atomic<Int>(0)
  private let cancels = Atomic<Int>(0)

  init() {
    let slots = permanents.map(\.slot)
    for signal in emitters.map(\.signal) {
      signal.connect(slots[0], Permanent.receive, .inline)
      signal.connect(slots[1], Permanent.receive, serial)
      signal.connect(slots[2], Permanent.receive, concurrent)
      signal.connect(slots[3], Permanent.receive)
      signal.connect(keeper) { _, stamp in slots[4].receive(stamp) }
    }
  }

  var emissions: Int { sent.load(ordering: .acquiring) }
  var summary: String {
    "\(emissions) emissions, \(connects.load(ordering: .relaxed)) connects, "
      + "\(cancels.load(ordering: .relaxed)) cancels"
  }

  private func signal(_ round: Int) -> SignalArg<Stamp> { emitters[round % 3].signal }

  private func emit(_ thread: Int, _ number: Int) {
    emitters[number % 3].invoke(Stamp(thread: thread, number: number))
    sent.add(1, ordering: .releasing)
  }

  private func emitInTurn(_ thread: Int, _ round: Int) {
    // This waits for the slowest slot, so that the number of pending deliveries is limited.
    while emissions - (permanents.map(\.slot.calls).min() ?? 0) > 10_000 { sched_yield() }
    emit(thread, round)
  }

  /// Cancels a slot on its own queue, after which no call may begin, whatever is pending.
  private func cancelOnQueue(_ thread: Int, _ round: Int) {
    let target = Mortal()
    let observer = signal(2 * round).connect(target, Mortal.receive, serial)
    emit(thread, 2 * round)
    serial.sync {
      observer.cancel()
      target.cancel()
    }
    emit(thread, 2 * round + 1)
    serial.sync {}
    callsAfterCancel.add(target.callsAfterCancel, ordering: .relaxed)
  }

  /// Connects a target, which dies, or whose slot is cancelled, perhaps twice.
  private func connect(_: Int, _ round: Int) {
    let target = Mortal()
    let places: [DispatchQueue?] = [nil, serial, concurrent]
    let observer = signal(round / 3).connect(target, Mortal.receive, places[round % 3])
    connects.add(1, ordering: .relaxed)
    if round % 4 == 0 {
      observer.suspend()
      observer.resume()
    }
    if round % 2 == 0 {
      withExtendedLifetime(target) {
        observers.withLock { if $0.count < 256 { $0.append(observer) } }
      }
    }
    if round % 5 == 0 {
      observer.cancel()
      observer.cancel()
    }
    if round % 64 == 0 { _ = signal(round / 64).slotCount }
  }

  private func cancel(_: Int, _: Int) {
    observers.withLock { $0.popLast() }?.cancel()
    cancels.add(1, ordering: .relaxed)
    sched_yield()
  }

  /// Connects slots of all places, of which one emits; suspends one, and cancels all.
  private func connectEverywhere(_: Int, _ round: Int) {
    let (signal, other) = (signal(round), EmitterArg<Int>())
    let observers = [
      signal.connect(on: serial) { _ in other.invoke(1) },
      signal.connect(on: concurrent) { _ in }, signal.connect { @MainActor _ in },
      signal.connect(keeper) { _, _ in }, other.signal.connect(on: serial) { _ in },
    ]
    sched_yield()
    observers[round % 5].suspend()
    sched_yield()
    for observer in observers { observer.cancel() }
  }

  /// Runs each part again and again on a number of threads, for a time, and returns the findings.
  ///
  /// A part gets the number of its thread and that of the round.
  func run(seconds: Double) async -> [String] {
    let parts: [(count: Int, run: @Sendable (Int, Int) -> Void)] = [
      (4, emitInTurn), (1, cancelOnQueue), (3, connect), (3, cancel), (1, connectEverywhere),
    ]
    let threads = DispatchGroup()
    for (thread, part) in parts.flatMap({ repeatElement($0.run, count: $0.count) }).enumerated() {
      threads.enter()
      Thread { [self] in
        var round = 0
        while !isOver.load(ordering: .relaxed) {
          part(thread, round)
          round += 1
        }
        threads.leave()
      }.start()
    }
    try? await Task.sleep(for: .seconds(seconds))
    isOver.store(true, ordering: .relaxed)
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
    return await findings()
  }

  private func findings() async -> [String] {
    await settle { permanents.allSatisfy { $0.slot.calls >= emissions } }
    let expected = emitters.count * permanents.count
    var slots: Int { emitters.map(\.signal.slotCount).reduce(0, +) }
    await settle { slots == expected && Mortal.alive.load(ordering: .acquiring) == 0 }

    var counts = permanents.flatMap { place, slot in
      [
        ("calls on \(place)", slot.calls, emissions),
        ("calls out of order on \(place)", slot.mistakes, 0),
      ]
    }
    counts += [
      ("calls after cancel", callsAfterCancel.load(ordering: .acquiring), 0),
      ("slots", slots, expected),
      ("targets alive", Mortal.alive.load(ordering: .acquiring), 0),
    ]
    return counts.filter { $0.1 != $0.2 }.map { "\($0): \($1), expected \($2)" }
  }
}

/// Waits at most a minute for what is pending.
func settle(_ isDone: () -> Bool) async {
  for _ in 0..<12_000 where !isDone() { try? await Task.sleep(for: .milliseconds(5)) }
}

let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 5
let stress = Stress()
DispatchQueue.global().asyncAfter(deadline: .now() + seconds + 180) {
  print("stress: hangs")
  exit(1)
}
let findings = await stress.run(seconds: seconds)
for finding in findings { print("  FAILED, \(finding)") }
print("stress: \(stress.summary), \(findings.count) findings, \(seconds) s")
exit(findings.isEmpty ? 0 : 1)
