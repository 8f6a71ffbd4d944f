// The seam of the schedule explorer (`Proof/README.md`). In a normal build this file is a few empty
// functions, which the compiler removes.

#if SO_EXPLORE
  package import Dispatch
  import Synchronization

  /// The explorer's side of the seam.
  ///
  /// It decides which thread goes on where threads may get in each other's way, and which store a
  /// load returns, of those that its ordering allows.
  package protocol Scheduler: AnyObject {
    /// Another thread may go on here.
    func point()
    /// The thread has found a lock taken, and waits until one is given back.
    func block()
    /// A lock has been given back.
    func unblock()
    func enqueue(_ work: @escaping @Sendable () -> Void, on queue: DispatchQueue)
    /// Whether the thread plays the main queue.
    var isOnMainQueue: Bool { get }
    /// The executor of the library's tasks.
    var taskExecutor: any TaskExecutor { get }

    // Memory. A value is its bytes, and a place the number that it was given when it was made. Each
    // operation passes the newest value, since the memory may have been made before the scenario.

    func make(_ place: UInt, _ value: UInt64)
    func load(_ place: UInt, _ newest: UInt64, _ order: Order) -> UInt64
    func store(_ place: UInt, _ newest: UInt64, _ value: UInt64, _ order: Order)
    /// A read-modify-write; nil from `change` leaves it a load, which has the order `failure`.
    ///
    /// Returns the values before and after it; the latter is nil if it was a load.
    func update(
      _ place: UInt, _ newest: UInt64, _ order: Order, failure: Order,
      _ change: (UInt64) -> UInt64?
    ) -> (before: UInt64, after: UInt64?)
    func lock(_ place: UInt)
    func unlock(_ place: UInt)
    func plain(_ access: PlainAccess, _ address: UInt, _ what: StaticString)
  }

  package struct Order {
    package var acquires = false
    package var releases = false
    package var isSequential = false

    init(_ order: AtomicLoadOrdering) {
      isSequential = order == .sequentiallyConsistent
      acquires = isSequential || order == .acquiring
    }

    init(_ order: AtomicStoreOrdering) {
      isSequential = order == .sequentiallyConsistent
      releases = isSequential || order == .releasing
    }

    init(_ order: AtomicUpdateOrdering) {
      isSequential = order == .sequentiallyConsistent
      acquires = isSequential || order == .acquiring || order == .acquiringAndReleasing
      releases = isSequential || order == .releasing || order == .acquiringAndReleasing
    }
  }

  /// A kind of access to memory that is not atomic.
  package enum PlainAccess {
    /// The first write to new memory.
    case begin
    case read
    case write
    /// A write after which nobody may read.
    case end
  }

  package enum Schedule {
    /// `nonisolated(unsafe)`: set while no thread of a scenario runs.
    nonisolated(unsafe) package static var scheduler: (any Scheduler)?
    /// How many places were made.
    ///
    /// `nonisolated(unsafe)`: only the thread with the baton makes one.
    nonisolated(unsafe) package private(set) static var places: UInt = 0

    static func makePlace(_ value: UInt64) -> UInt {
      unsafe places += 1
      unsafe scheduler?.make(places, value)
      return unsafe places
    }
  }

  @usableFromInline
  func schedulePoint() {
    unsafe Schedule.scheduler?.point()
  }

  @usableFromInline
  func plainBegin(_ address: UnsafeRawPointer, _ what: StaticString) {
    unsafe Schedule.scheduler?.plain(.begin, UInt(bitPattern: address), what)
  }

  @usableFromInline
  func plainRead(_ address: UnsafeRawPointer, _ what: StaticString) {
    unsafe Schedule.scheduler?.plain(.read, UInt(bitPattern: address), what)
  }

  @usableFromInline
  func plainWrite(_ address: UnsafeRawPointer, _ what: StaticString) {
    unsafe Schedule.scheduler?.plain(.write, UInt(bitPattern: address), what)
  }

  @usableFromInline
  func plainEnd(_ address: UnsafeRawPointer, _ what: StaticString) {
    unsafe Schedule.scheduler?.plain(.end, UInt(bitPattern: address), what)
  }

  @usableFromInline
  func plainBegin(_ object: AnyObject, _ what: StaticString) {
    unsafe plainBegin(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()), what)
  }

  @usableFromInline
  func plainRead(_ object: AnyObject, _ what: StaticString) {
    unsafe plainRead(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()), what)
  }

  @usableFromInline
  func plainWrite(_ object: AnyObject, _ what: StaticString) {
    unsafe plainWrite(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()), what)
  }

  @usableFromInline
  func plainEnd(_ object: AnyObject, _ what: StaticString) {
    unsafe plainEnd(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()), what)
  }

  extension DispatchQueue {
    /// Takes the place of Dispatch's own in this module: a thread of the scenario plays the queue.
    func async(_ work: @escaping @Sendable () -> Void) {
      unsafe Schedule.scheduler?.enqueue(work, on: self)
    }
  }

  extension Task where Failure == Never {
    /// Takes the place of the standard library's own in this module: a thread of the scenario plays
    /// the task's executor.
    @usableFromInline
    @discardableResult
    static func detached(operation: sending @escaping @isolated(any) () async -> Success) -> Self {
      unsafe Task(
        executorPreference: Schedule.scheduler.unsafelyUnwrapped.taskExecutor, operation: operation)
    }
  }
#else
  /// Where another thread may go on although nothing is atomic here: before a target is looked at
  /// and before a slot is called.
  @inline(__always)
  func schedulePoint() {}

  // Reads and writes of memory that is not atomic, at an address or in an object; `what` names it.
  // The explorer tells when two threads do so, one of them writing, and nothing orders them.

  /// The first write to new memory.
  @inlinable @inline(__always)
  func plainBegin(_ address: @autoclosure () -> UnsafeRawPointer, _ what: StaticString) {}

  @inlinable @inline(__always)
  func plainRead(_ address: @autoclosure () -> UnsafeRawPointer, _ what: StaticString) {}

  @inlinable @inline(__always)
  func plainWrite(_ address: @autoclosure () -> UnsafeRawPointer, _ what: StaticString) {}

  /// A write that lets go of the memory: nobody may read it afterwards.
  ///
  /// Said where the decision falls, and not in `deinit`, which counting references orders.
  @inlinable @inline(__always)
  func plainEnd(_ address: @autoclosure () -> UnsafeRawPointer, _ what: StaticString) {}

  @inlinable @inline(__always)
  func plainBegin(_ object: @autoclosure () -> AnyObject, _ what: StaticString) {}

  @inlinable @inline(__always)
  func plainRead(_ object: @autoclosure () -> AnyObject, _ what: StaticString) {}

  @inlinable @inline(__always)
  func plainWrite(_ object: @autoclosure () -> AnyObject, _ what: StaticString) {}

  @inlinable @inline(__always)
  func plainEnd(_ object: @autoclosure () -> AnyObject, _ what: StaticString) {}
#endif
