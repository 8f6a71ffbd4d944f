import Foundation
import Synchronization

/// Runs the tasks of the process that are on no actor when it is told to.
final class Tasks: TaskExecutor {
  static let shared = Tasks()

  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  var hasJobs: Bool { jobs.withLock { !$0.isEmpty } }

  /// Runs the jobs, those that they add included, on this thread.
  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Takes the place of the global executor.
  ///
  /// This sets a variable of Swift's runtime: a function that gets each job and the function to
  /// call instead. That function has Swift's convention, which passes two pointers as C does. A job
  /// is one pointer.
  func takeOver() {
    typealias Hook = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Void
    guard let hook = unsafe dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
      fatalError("the runtime has no such variable")
    }
    unsafe hook.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in
      let job = unsafe unsafeBitCast(job, to: UnownedJob.self)
      Tasks.shared.jobs.withLock { $0.append(job) }
    }
  }
}
