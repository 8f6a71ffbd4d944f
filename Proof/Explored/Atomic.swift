// Public for the library alone, and documented where the standard library documents the same:
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Synchronization

// These types take the place of the standard library's. `@unchecked Sendable`: each value is read
// and written as a whole, under a real mutex.

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

/// An atomic of at most eight bytes: before every access another thread may continue, and a load
/// returns any store that its ordering allows.
public struct ScheduledAtomic<Value>: ~Copyable, @unchecked Sendable {
  private let place: UInt
  private let newest: Mutex<UInt64>

  public init(_ value: Value) {
    newest = Mutex(Self.bits(value))
    place = Schedule.makePlace(Self.bits(value))
  }

  private static func bits(_ value: Value) -> UInt64 {
    var bits: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &bits) { bits in
      unsafe withUnsafeBytes(of: value) { unsafe bits.copyMemory(from: $0) }
    }
    return bits
  }

  private static func value(_ bits: UInt64) -> Value {
    unsafe withUnsafeBytes(of: bits) { unsafe $0.loadUnaligned(as: Value.self) }
  }

  private func access(_ order: Order, _ access: AtomicAccess) -> Value {
    unsafe Schedule.scheduler?.point()
    let scheduler = unsafe Schedule.scheduler.unsafelyUnwrapped
    let (before, after) = scheduler.access(place, newest.withLock { $0 }, order, access)
    if let after { newest.withLock { $0 = after } }
    return Self.value(before)
  }

  public func load(
    ordering: AtomicLoadOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> Value {
    access(Order(acquires: ordering == .acquiring, releases: false, file: file, line: line), .load)
  }

  public func store(
    _ value: Value, ordering: AtomicStoreOrdering, file: StaticString = #fileID, line: UInt = #line
  ) {
    let order = Order(acquires: false, releases: ordering == .releasing, file: file, line: line)
    _ = access(order, .store(Self.bits(value)))
  }

  /// Changes the value, and returns the old one.
  ///
  /// If `change` returns nil, the value stays.
  private func update(
    _ ordering: AtomicUpdateOrdering, _ file: StaticString, _ line: UInt,
    _ change: (Value) -> Value?
  ) -> Value {
    let isBoth = ordering == .acquiringAndReleasing
    let order = Order(
      acquires: isBoth || ordering == .acquiring, releases: isBoth || ordering == .releasing,
      file: file, line: line)
    return withoutActuallyEscaping(change) { change in
      access(order, .update { change(Self.value($0)).map(Self.bits) })
    }
  }
}

extension ScheduledAtomic where Value: FixedWidthInteger {
  public func weakCompareExchange(
    expected: Value, desired: Value, ordering: AtomicUpdateOrdering,
    file: StaticString = #fileID, line: UInt = #line
  ) -> (exchanged: Bool, original: Value) {
    let before = update(ordering, file, line) { $0 == expected ? desired : nil }
    return (before == expected, before)
  }

  @discardableResult
  public func wrappingAdd(
    _ value: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) {
    let before = update(ordering, file, line) { $0 &+ value }
    return (before, before &+ value)
  }

  @discardableResult
  public func wrappingSubtract(
    _ value: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) {
    wrappingAdd(0 &- value, ordering: ordering, file: file, line: line)
  }

  public func bitwiseOr(
    _ value: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) {
    _ = update(ordering, file, line) { $0 | value }
  }

  public func bitwiseAnd(
    _ value: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) {
    _ = update(ordering, file, line) { $0 & value }
  }
}
