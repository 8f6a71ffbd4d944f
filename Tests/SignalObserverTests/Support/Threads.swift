import Foundation
import Synchronization
import Testing

/// A thread in progress.
struct RunningThread: Sendable {
  private let ended = Gate()

  /// Starts a thread that runs `body`.
  init(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    let ended = ended
    let thread = Thread {
      body()
      ended.open()
    }
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }

  /// Waits until it has ended, longer than a gate that it may wait for.
  func join() { ended.pass(seconds: 120) }
}

/// Runs `body` on `count` threads, which start at the same moment, and waits until all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
  let arrivals = StartGate(count)
  let threads = (0..<count).map { index in
    RunningThread {
      arrivals.pass()
      body(index)
    }
  }
  for thread in threads { thread.join() }
}

/// Lets a number of threads start once all of them have arrived.
///
/// They look again and again, since waking up would let the first finish before the last begins.
private final class StartGate: Sendable {
  private let missing: Atomic<Int>

  init(_ count: Int) { missing = Atomic(count) }

  func pass() {
    missing.subtract(1, ordering: .acquiringAndReleasing)
    while missing.load(ordering: .acquiring) > 0 { sched_yield() }
  }
}
