// The seam of the schedule explorer (`Proof/README.md`). In a normal build this file is one empty
// function, which the compiler removes.

#if SO_EXPLORE
  package import Dispatch
  public import Synchronization

  /// What decides which thread goes on, where threads may get in each other's way.
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
  }

  package enum Schedule {
    /// `nonisolated(unsafe)`: set while no thread of a scenario runs.
    nonisolated(unsafe) package static var scheduler: (any Scheduler)?
  }

  func schedulePoint() {
    unsafe Schedule.scheduler?.point()
  }

  extension DispatchQueue {
    /// Takes the place of Dispatch's own in this module: a thread of the scenario plays the queue.
    func async(_ work: @escaping @Sendable () -> Void) {
      unsafe Schedule.scheduler?.enqueue(work, on: self)
    }
  }

  /// Takes the place of the standard library's atomic in this module: before every access, another
  /// thread may go on.
  ///
  /// Orderings are not explored: one thread runs at a time, and each sees all that went before.
  ///
  /// `@unchecked Sendable`: values leave and enter the mutex as a whole, as with an atomic.
  @usableFromInline
  struct Atomic<Value>: ~Copyable, @unchecked Sendable {
    private struct Guarded: @unchecked Sendable {
      var value: Value
    }

    private let mutex: Mutex<Guarded>

    @usableFromInline
    init(_ value: Value) { mutex = Mutex(Guarded(value: value)) }

    /// Returns the value that was there before `change`.
    @discardableResult
    private func access(_ change: (inout Value) -> Void) -> Value {
      schedulePoint()
      return mutex.withLock { guarded in
        let before = guarded
        change(&guarded.value)
        return before
      }.value
    }

    @usableFromInline
    func load(ordering: AtomicLoadOrdering) -> Value { access { _ in } }

    func store(_ value: Value, ordering: AtomicStoreOrdering) { access { $0 = value } }

    func exchange(_ value: Value, ordering: AtomicUpdateOrdering) -> Value {
      access { $0 = value }
    }
  }

  extension Atomic where Value: FixedWidthInteger {
    @usableFromInline typealias Change = (oldValue: Value, newValue: Value)

    @usableFromInline
    @discardableResult
    func wrappingAdd(_ value: Value, ordering: AtomicUpdateOrdering) -> Change {
      let before = access { $0 &+= value }
      return (before, before &+ value)
    }

    @discardableResult
    func bitwiseOr(_ value: Value, ordering: AtomicUpdateOrdering) -> Change {
      let before = access { $0 |= value }
      return (before, before | value)
    }

    @discardableResult
    func bitwiseAnd(_ value: Value, ordering: AtomicUpdateOrdering) -> Change {
      let before = access { $0 &= value }
      return (before, before & value)
    }

    func weakCompareExchange(
      expected: Value, desired: Value, successOrdering: AtomicUpdateOrdering,
      failureOrdering: AtomicLoadOrdering
    ) -> (exchanged: Bool, original: Value) {
      let before = access { if $0 == expected { $0 = desired } }
      return (before == expected, before)
    }
  }
#else
  /// Where another thread may go on although nothing is atomic here: before a target is looked at
  /// and before a slot is called.
  @inline(__always)
  func schedulePoint() {}
#endif
