// Public for the library alone, and documented where the standard library documents the same:
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Synchronization

// These types take the place of the library's own atomic and the standard library's mutex.
// `@unchecked Sendable`: each value is read and written as a whole, under a real mutex.

public struct ScheduledMutex<Value>: ~Copyable, @unchecked Sendable {
  private struct Guarded: @unchecked Sendable {
    var value: Value
  }

  private let mutex: Mutex<Guarded>
  private let place = Schedule.makePlace(0)

  public init(_ value: Value) { mutex = Mutex(Guarded(value: value)) }

  public borrowing func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe Schedule.scheduler?.point()
    while true {
      var result: Result?
      _ = mutex.withLockIfAvailable { guarded in
        unsafe Schedule.scheduler?.lock(place)
        result = body(&guarded.value)
        unsafe Schedule.scheduler?.unlock(place)
      }
      if let result {
        unsafe Schedule.scheduler?.unblock()
        return result
      }
      unsafe Schedule.scheduler?.block()
    }
  }
}

/// An atomic word: before every access another thread may continue, and a load returns any store that its ordering
/// allows.
public struct ScheduledAtomic: ~Copyable, @unchecked Sendable {
  public enum LoadOrdering { case relaxed, acquiring }
  public enum StoreOrdering { case relaxed, releasing }
  public enum UpdateOrdering { case relaxed, acquiring, releasing, acquiringAndReleasing }

  private let place: UInt
  private let newest: Mutex<Int>

  public init(_ value: Int) {
    newest = Mutex(value)
    place = Schedule.makePlace(UInt64(bitPattern: Int64(value)))
  }

  private func access(_ order: Order, _ access: AtomicAccess) -> Int {
    unsafe Schedule.scheduler?.point()
    let scheduler = unsafe Schedule.scheduler.unsafelyUnwrapped
    let newest = UInt64(bitPattern: Int64(newest.withLock { $0 }))
    let (before, after) = scheduler.access(place, newest, order, access)
    if let after { self.newest.withLock { $0 = Int(truncatingIfNeeded: after) } }
    return Int(truncatingIfNeeded: before)
  }

  public func load(
    ordering: LoadOrdering, file: StaticString = #filePath, line: UInt = #line
  ) -> Int {
    access(Order(acquires: ordering == .acquiring, releases: false, file: file, line: line), .load)
  }

  public func store(
    _ value: Int, ordering: StoreOrdering, file: StaticString = #filePath, line: UInt = #line
  ) {
    let order = Order(acquires: false, releases: ordering == .releasing, file: file, line: line)
    _ = access(order, .store(UInt64(bitPattern: Int64(value))))
  }

  /// Changes the value, and returns the old one.
  ///
  /// If `change` returns nil, the value stays.
  private func update(
    _ ordering: UpdateOrdering, _ file: StaticString, _ line: UInt, _ change: (Int) -> Int?
  ) -> Int {
    let isBoth = ordering == .acquiringAndReleasing
    let order = Order(
      acquires: isBoth || ordering == .acquiring, releases: isBoth || ordering == .releasing,
      file: file, line: line)
    return withoutActuallyEscaping(change) { change in
      access(
        order,
        .update { change(Int(truncatingIfNeeded: $0)).map { UInt64(bitPattern: Int64($0)) } })
    }
  }

  public func compareExchange(
    expected: Int, desired: Int, file: StaticString = #filePath, line: UInt = #line
  ) -> (exchanged: Bool, original: Int) {
    let before = update(.relaxed, file, line) { $0 == expected ? desired : nil }
    return (before == expected, before)
  }

  @discardableResult
  public func wrappingAdd(
    _ value: Int, ordering: UpdateOrdering, file: StaticString = #filePath, line: UInt = #line
  ) -> (oldValue: Int, newValue: Int) {
    let before = update(ordering, file, line) { $0 &+ value }
    return (before, before &+ value)
  }

  @discardableResult
  public func wrappingSubtract(
    _ value: Int, ordering: UpdateOrdering, file: StaticString = #filePath, line: UInt = #line
  ) -> (oldValue: Int, newValue: Int) {
    wrappingAdd(0 &- value, ordering: ordering, file: file, line: line)
  }

  public func bitwiseOr(
    _ value: Int, file: StaticString = #filePath, line: UInt = #line
  ) {
    _ = update(.relaxed, file, line) { $0 | value }
  }

  @discardableResult
  public func bitwiseAnd(
    _ value: Int, file: StaticString = #filePath, line: UInt = #line
  ) -> Int {
    update(.relaxed, file, line) { $0 & value }
  }
}
