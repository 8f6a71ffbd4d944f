import Dispatch
import Foundation
import SignalObserver
import Synchronization
import Testing

/// An emission of the stress tests: which thread made it, and its place among that thread's.
struct Stamp: Sendable, Equatable {
  let thread: Int
  let index: Int
}

/// Where the stress tests emit from.
enum Threads {
  static let count = 8
  static let emissionsEach = 250
  static var emissions: Int { count * emissionsEach }

  /// Calls `body` on eight threads that start together, once for each emission.
  static func emit(_ body: @escaping @Sendable (Stamp) -> Void) {
    let gate = DispatchSemaphore(value: 0)
    for thread in 0..<count {
      Thread.detachNewThread {
        gate.wait()
        for index in 0..<emissionsEach { body(Stamp(thread: thread, index: index)) }
      }
    }
    for _ in 0..<count { gate.signal() }
  }

  /// Runs `body` on a thread of its own, and returns when it has.
  static func run(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      isDone.signal()
    }
    isDone.wait()
  }
}

/// What the slots of a stress test received, by number of arguments.
final class Receipts: Sendable {
  private struct State {
    var nothings = 0
    var ones = Array(repeating: [Int](), count: Threads.count)
    var twos = Array(repeating: [Int](), count: Threads.count)
    var total = 0
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func nothing() { note { $0.nothings += 1 } }
  func one(_ stamp: Stamp) { note { $0.ones[stamp.thread].append(stamp.index) } }
  func two(_ thread: Int, _ index: Int) { note { $0.twos[thread].append(index) } }

  private func note(_ change: (inout sending State) -> Void) {
    let reached = state.withLock { state -> CheckedContinuation<Void, Never>? in
      change(&state)
      state.total += 1
      return state.total == 3 * Threads.emissions ? state.waiting.take() : nil
    }
    reached?.resume()
  }

  /// Returns when as many calls were made as there are emissions of three signals.
  func complete() async {
    await withCheckedContinuation { continuation in
      let isComplete = state.withLock { state in
        if state.total < 3 * Threads.emissions { state.waiting = continuation }
        return state.total >= 3 * Threads.emissions
      }
      if isComplete { continuation.resume() }
    }
  }

  /// Whether every emission arrived exactly once, and each thread's in order.
  var isExact: Bool {
    let each = Array(0..<Threads.emissionsEach)
    let all = Array(repeating: each, count: Threads.count)
    return state.withLock { $0.nothings == Threads.emissions && $0.ones == all && $0.twos == all }
  }
}

/// The global actor of these tests.
///
/// Public: with an internal one the compiler cannot build methods taken by name (see
/// `CompileTimeFixtures/Build`).
@globalActor
public actor Background {
  /// The one instance.
  public static let shared = Background()
}

/// Stops the program if two calls overlap, suspension included.
final class Turn: Sendable {
  private let isTaken = Atomic(false)

  func take(_ body: () -> Void) async {
    precondition(!isTaken.exchange(true, ordering: .acquiringAndReleasing), "calls overlap")
    await Task.yield()
    body()
    isTaken.store(false, ordering: .releasing)
  }
}

/// Runs an actor on a queue, and counts the jobs it is given.
final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "executor")
  private let jobs = Atomic(0)

  var jobCount: Int { jobs.load(ordering: .acquiring) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The actor owns this, and may die with the job.
    let owner = unsafe Unmanaged.passRetained(self)
    defer { unsafe owner.release() }
    // The queue runs every job once, on the executor that it was given to.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    // A job that is counted is on the queue, so what a test adds then is behind it.
    jobs.add(1, ordering: .acquiringAndReleasing)
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// Closed until it is opened, for good.
final class Gate: Sendable {
  private let isOpen = Atomic(false)

  func open() { isOpen.store(true, ordering: .releasing) }

  nonisolated(nonsending) func wait(_ location: SourceLocation = #_sourceLocation) async {
    await until("a gate to open", location, isCancellable: false) {
      isOpen.load(ordering: .acquiring)
    }
  }
}

extension SignalObserver {
  /// Returns when the connection has ended.
  func hasEnded() async {
    await until("the end of the connection") { isCancelled }
  }
}
