import CSanitizers
import Dispatch
import Foundation
import Synchronization
import Testing

/// Holds back those who pass it until it is opened, once for each of them.
///
/// Waiting ends after a time, with an issue, so that a deadlock fails its test and no other. A machine
/// that is busy with other things takes seconds for what else takes none.
struct Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  func pass(seconds: Double = 60, _ location: SourceLocation = #_sourceLocation) {
    if semaphore.wait(timeout: .now() + seconds) == .timedOut {
      Issue.record("nobody opened the gate", sourceLocation: location)
    }
  }
}

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

/// How often a test repeats what threads do: a tenth of `count` under ThreadSanitizer.
///
/// It makes each access some thirty times as slow, and tells of a race whichever thread was first.
func times(_ count: Int) -> Int { built_with_thread_sanitizer() ? count / 10 : count }

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

/// Runs `body`, which waits, on a thread of its own, and leaves this one to tasks.
///
/// Its stack has room for emissions that nest a thousand levels deep under AddressSanitizer.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    _ = RunningThread(stackSize: 1 << 26) {
      body()
      continuation.resume()
    }
  }
}

/// Returns when all that is on the main queue now has run.
func mainQueueDrained() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}

/// An executor of the user's: it runs code whenever it gets a task.
enum GlobalExecutor {
  /// What this executor does once it has got a task that the present code makes.
  @TaskLocal static var afterTask: (@Sendable () -> Void)?

  /// Takes the place of the global executor, in a process of its own, and hands on what it gets.
  ///
  /// This sets a variable of Swift's runtime: a function that gets each job and the function to
  /// call instead. Both have Swift's convention, which passes one or two pointers as C does.
  static func takeOver() {
    typealias Original = @convention(c) (UnsafeRawPointer) -> Void
    typealias Hook = @convention(c) (UnsafeRawPointer, Original) -> Void
    guard let hook = unsafe dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
      fatalError("the runtime has no such variable")
    }
    unsafe hook.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
      unsafe original(job)
      GlobalExecutor.afterTask?()
    }
  }
}
