// The seam of the schedule explorer (`Proof/README.md`). In a normal build this file is a few empty
// functions, which the compiler removes.

#if SO_EXPLORE
  package import Dispatch
  public import Synchronization

  /// What decides which thread goes on where threads may get in each other's way, and which of the
  /// stores that its ordering allows a load returns.
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
    /// What the library's tasks run on.
    var taskExecutor: any TaskExecutor { get }

    // Memory. A value is its bytes, and a place the number that it was given when it was made; what
    // it holds comes along, since it may have been made before the scenario.

    func make(_ place: UInt, _ value: UInt64)
    func load(_ place: UInt, _ newest: UInt64, _ order: Order) -> UInt64
    func store(_ place: UInt, _ newest: UInt64, _ value: UInt64, _ order: Order)
    /// A read-modify-write; nil from `change` leaves it a load, which has the order `failure`.
    ///
    /// Returns what it found and what it left, if it was no load.
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

  /// What is done to memory that is not atomic.
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
    /// what the task runs on.
    @usableFromInline
    @discardableResult
    static func detached(operation: sending @escaping @isolated(any) () async -> Success) -> Self {
      unsafe Task(
        executorPreference: Schedule.scheduler.unsafelyUnwrapped.taskExecutor, operation: operation)
    }
  }

  /// Takes the place of the standard library's atomic in this module: before every access another
  /// thread may go on, and a load returns any store that its ordering allows.
  ///
  /// `@unchecked Sendable`: values leave and enter the mutex as a whole, as with an atomic.
  @usableFromInline
  struct Atomic<Value>: ~Copyable, @unchecked Sendable {
    private let place: UInt
    private let newest: Mutex<UInt64>

    @usableFromInline
    init(_ value: Value) {
      let bits = Self.bits(value)
      newest = Mutex(bits)
      place = Schedule.makePlace(bits)
    }

    private var scheduler: any Scheduler { unsafe Schedule.scheduler.unsafelyUnwrapped }

    private var held: UInt64 { newest.withLock { $0 } }

    /// The bytes of `value`, which is a number, a truth value or a reference without an owner.
    private static func bits(_ value: Value) -> UInt64 {
      precondition(MemoryLayout<Value>.size <= 8)
      var bits: UInt64 = 0
      unsafe withUnsafeMutableBytes(of: &bits) { bits in
        unsafe withUnsafeBytes(of: value) { unsafe bits.copyMemory(from: $0) }
      }
      return bits
    }

    private static func value(_ bits: UInt64) -> Value {
      unsafe withUnsafeBytes(of: bits) { unsafe $0.loadUnaligned(as: Value.self) }
    }

    @usableFromInline
    func load(ordering: AtomicLoadOrdering) -> Value {
      schedulePoint()
      return Self.value(scheduler.load(place, held, Order(ordering)))
    }

    @usableFromInline
    func store(_ value: Value, ordering: AtomicStoreOrdering) {
      schedulePoint()
      let bits = Self.bits(value)
      scheduler.store(place, held, bits, Order(ordering))
      newest.withLock { $0 = bits }
    }

    /// Returns the value that was there before `change`; nil from there leaves it.
    @discardableResult
    private func update(
      _ order: Order, failure: Order? = nil, _ change: (Value) -> Value?
    ) -> Value {
      schedulePoint()
      let (before, after) = scheduler.update(place, held, order, failure: failure ?? order) {
        change(Self.value($0)).map(Self.bits)
      }
      if let after { newest.withLock { $0 = after } }
      return Self.value(before)
    }

    @usableFromInline
    @discardableResult
    func exchange(_ value: Value, ordering: AtomicUpdateOrdering) -> Value {
      update(Order(ordering)) { _ in value }
    }
  }

  extension Atomic where Value: Equatable {
    @usableFromInline
    func weakCompareExchange(
      expected: Value, desired: Value, successOrdering: AtomicUpdateOrdering,
      failureOrdering: AtomicLoadOrdering
    ) -> (exchanged: Bool, original: Value) {
      let before = update(Order(successOrdering), failure: Order(failureOrdering)) {
        $0 == expected ? desired : nil
      }
      return (before == expected, before)
    }

    @usableFromInline
    func weakCompareExchange(
      expected: Value, desired: Value, ordering: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Value) {
      let order = Order(ordering)
      let before = update(order, failure: order) { $0 == expected ? desired : nil }
      return (before == expected, before)
    }

    @usableFromInline
    func compareExchange(
      expected: Value, desired: Value, successOrdering: AtomicUpdateOrdering,
      failureOrdering: AtomicLoadOrdering
    ) -> (exchanged: Bool, original: Value) {
      weakCompareExchange(
        expected: expected, desired: desired, successOrdering: successOrdering,
        failureOrdering: failureOrdering)
    }

    @usableFromInline
    func compareExchange(
      expected: Value, desired: Value, ordering: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Value) {
      weakCompareExchange(expected: expected, desired: desired, ordering: ordering)
    }
  }

  extension Atomic where Value: FixedWidthInteger {
    @usableFromInline typealias Change = (oldValue: Value, newValue: Value)

    @discardableResult
    private func change(_ order: AtomicUpdateOrdering, _ change: (Value) -> Value) -> Change {
      let before = update(Order(order), change)
      return (before, change(before))
    }

    @usableFromInline
    @discardableResult
    func wrappingAdd(_ value: Value, ordering: AtomicUpdateOrdering) -> Change {
      change(ordering) { $0 &+ value }
    }

    @usableFromInline
    @discardableResult
    func wrappingSubtract(_ value: Value, ordering: AtomicUpdateOrdering) -> Change {
      change(ordering) { $0 &- value }
    }

    @usableFromInline
    @discardableResult
    func bitwiseOr(_ value: Value, ordering: AtomicUpdateOrdering) -> Change {
      change(ordering) { $0 | value }
    }

    @usableFromInline
    @discardableResult
    func bitwiseAnd(_ value: Value, ordering: AtomicUpdateOrdering) -> Change {
      change(ordering) { $0 & value }
    }

    @usableFromInline
    @discardableResult
    func bitwiseXor(_ value: Value, ordering: AtomicUpdateOrdering) -> Change {
      change(ordering) { $0 ^ value }
    }
  }
#else
  /// Where another thread may go on although nothing is atomic here: before a target is looked at
  /// and before a slot is called.
  @inline(__always)
  func schedulePoint() {}

  // Where memory that is not atomic is read and written, at an address or in an object, and `what`
  // it is. The explorer tells when two threads do so, one of them writing, and nothing orders them.

  /// The first write to new memory.
  @inlinable @inline(__always)
  func plainBegin(_ address: @autoclosure () -> UnsafeRawPointer, _ what: StaticString) {}

  @inlinable @inline(__always)
  func plainRead(_ address: @autoclosure () -> UnsafeRawPointer, _ what: StaticString) {}

  @inlinable @inline(__always)
  func plainWrite(_ address: @autoclosure () -> UnsafeRawPointer, _ what: StaticString) {}

  /// A write to what is let go of: nobody may read it afterwards.
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
