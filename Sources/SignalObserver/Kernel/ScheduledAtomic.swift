#if SO_EXPLORE
  public import Synchronization

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
#endif
