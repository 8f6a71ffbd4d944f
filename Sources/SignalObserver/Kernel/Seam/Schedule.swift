// The seam of the schedule explorer (`Proof/README.md`). In a normal build it is two empty
// functions, which the compiler removes. In the explorer's build, it also takes the place of the
// atomic and the mutex, and of what the library uses of Dispatch and tasks.

#if SO_EXPLORE
  import Dispatch
  // Exported: visible in all files of this module.
  @_exported public import Explored

  // Declarations of this module are preferred to imported ones.

  @usableFromInline typealias Mutex<Value> = ScheduledMutex<Value>
  @usableFromInline typealias Atomic = ScheduledAtomic

  @usableFromInline
  func schedulePoint() { unsafe Schedule.scheduler?.point() }

  @usableFromInline
  func plain(_ access: PlainAccess, _ object: AnyObject, _ what: StaticString) {
    Schedule.plain(access, object, what)
  }

  // A thread of the scenario plays the queue, or the executor of the task.

  extension DispatchQueue {
    func async(_ work: @escaping @Sendable () -> Void) {
      unsafe Schedule.scheduler?.enqueue(work, on: self)
    }

    /// Of the specifics that a thread asks for, there is only the one of the main queue.
    static func getSpecific(key: DispatchSpecificKey<Bool>) -> Bool? {
      unsafe Schedule.scheduler?.isOnMainQueue == true ? true : nil
    }
  }

  extension Task where Failure == Never {
    @usableFromInline @discardableResult
    static func detached(
      priority: TaskPriority? = nil,
      operation: sending @escaping @isolated(any) () async -> Success
    ) -> Self {
      unsafe Task(
        executorPreference: Schedule.scheduler.unsafelyUnwrapped.taskExecutor, operation: operation)
    }
  }
#else
  /// A kind of access to memory that is not atomic: the first one, one between, or the last one.
  @usableFromInline
  enum PlainAccess {
    case begin
    case read
    case write
    case end
  }

  /// Where another thread may continue although nothing is atomic here: before a target is looked
  /// at, and before a slot is called.
  @inline(__always)
  func schedulePoint() {}

  /// An access to memory of an object that is not atomic; `what` names the memory.
  ///
  /// The explorer tells when two threads make one, one of them a write, and nothing orders them.
  @inlinable @inline(__always)
  func plain(_ access: PlainAccess, _ object: @autoclosure () -> AnyObject, _ what: StaticString) {}
#endif
