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

/// Checks that the numbers of each thread rise by one, whichever signal delivers them.
final class OrderCheck: Sendable {
  private struct State {
    var next: [Int]
    var mistakes = 0
  }

  private let state: Mutex<State>
  private let calls = Atomic<Int>(0)
  private let inProgress = Atomic<Int>(0)

  init(threads: Int) { state = Mutex(State(next: Array(repeating: 0, count: threads))) }

  var count: Int { calls.load(ordering: .acquiring) }
  var mistakes: Int { state.withLock { $0.mistakes } }

  func receive(_ stamp: Stamp) {
    let isAlone = inProgress.add(1, ordering: .relaxed).newValue == 1
    state.withLock { state in
      if !isAlone || state.next[stamp.thread] != stamp.number { state.mistakes += 1 }
      state.next[stamp.thread] = stamp.number + 1
    }
    inProgress.subtract(1, ordering: .relaxed)
    calls.add(1, ordering: .releasing)
  }
}

/// Threads that emit on three signals in turn: a queue, the main queue and an actor see the order of each
/// thread (guarantee 18), while others connect and cancel there.
final class OrderStress: Sendable {
  private static let threads = 3

  private let emitters = (0..<3).map { _ in EmitterArg<Stamp>() }
  private let serial = DispatchQueue(label: "order.serial")
  private let concurrent = DispatchQueue(label: "order.concurrent", attributes: .concurrent)
  private let keeper = Keeper()
  private let checks = [
    "queue", "concurrent queue", "main queue", "actor",
  ].map { (place: $0, check: OrderCheck(threads: OrderStress.threads)) }
  private let isOver = Atomic<Bool>(false)
  private let sent = Atomic<Int>(0)
  private let started = Atomic<Int>(0)

  var emissions: Int { sent.load(ordering: .relaxed) }

  init() {
    for emitter in emitters {
      let signal = emitter.signal
      let checks = checks.map(\.check)
      signal.connect(on: serial) { checks[0].receive($0) }
      signal.connect(on: concurrent) { checks[1].receive($0) }
      signal.connect { @MainActor stamp in checks[2].receive(stamp) }
      signal.connect(keeper) { _, stamp in checks[3].receive(stamp) }
    }
  }

  private func emitUntilOver() {
    let thread = started.add(1, ordering: .relaxed).oldValue
    var number = 0
    while !isOver.load(ordering: .relaxed) {
      // This waits for the slowest place, so that the number of pending deliveries is limited.
      let slowest = checks.map(\.check.count).min() ?? 0
      if emissions - slowest > 10_000 {
        sched_yield()
        continue
      }
      emitters[number % 3].invoke(Stamp(thread: thread, number: number))
      number += 1
      sent.add(1, ordering: .relaxed)
    }
  }

  /// Connects and cancels other slots of the same places, suspends them, and emits.
  private func connectUntilOver() {
    let other = EmitterArg<Int>()
    var round = 0
    while !isOver.load(ordering: .relaxed) {
      round += 1
      let signal = emitters[round % 3].signal
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
  }

  /// Runs all threads for a time, and returns the findings.
  func run(seconds: Double) async -> [String] {
    await runThreads(
      [
        (count: Self.threads, run: { @Sendable in self.emitUntilOver() }),
        (count: 1, run: { @Sendable in self.connectUntilOver() }),
      ], seconds: seconds, over: { isOver.store(true, ordering: .relaxed) })
    for _ in 0..<12_000 where checks.contains(where: { $0.check.count < emissions }) {
      try? await Task.sleep(for: .milliseconds(5))
    }
    return checks.flatMap { place, check in
      (check.count == emissions
        ? [] : ["order: \(check.count) calls on the \(place), expected \(emissions)"])
        + (check.mistakes == 0
          ? [] : ["order: \(check.mistakes) calls out of order on the \(place)"])
    }
  }
}
