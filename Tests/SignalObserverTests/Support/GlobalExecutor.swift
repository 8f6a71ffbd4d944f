import Foundation

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
