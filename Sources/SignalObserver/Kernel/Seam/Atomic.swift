#if SO_EXPLORE
  // `Seam/Schedule.swift` has it.
#elseif os(macOS) || os(iOS) || os(tvOS) || os(watchOS) || os(visionOS) || SO_OWN_ATOMICS
  public import CSignalObserver

  /// A word that threads share, at an address that never changes.
  ///
  /// In place of the standard library's, which needs macOS 15 and iOS 18. `Scripts/sanitize thread`
  /// builds it on Linux, too.
  ///
  /// `@_rawLayout`: memory of the size of an `Int`, which the compiler neither copies nor reads. It
  /// therefore passes `self` by its address, which stays the same while the owner lives.
  /// `@unchecked Sendable`: nothing reaches the memory but the atomic accesses below.
  @_rawLayout(like: Int)
  @usableFromInline
  @safe
  struct Atomic: ~Copyable, @unchecked Sendable {
    @inlinable @inline(__always)
    init(_ value: Int) {
      unsafe withWord { word in unsafe word.initialize(to: value) }
    }

    /// Calls `body` with the address of the memory, which is valid during the call.
    @inlinable @inline(__always)
    func withWord<Result>(_ body: (UnsafeMutablePointer<Int>) -> Result) -> Result {
      unsafe withUnsafePointer(to: self) { address in
        unsafe body(
          UnsafeMutableRawPointer(mutating: address).assumingMemoryBound(to: Int.self))
      }
    }

    @inlinable @inline(__always)
    func load(ordering: LoadOrdering) -> Int {
      unsafe withWord { word in
        switch ordering {
        case .relaxed: unsafe signal_observer_load_relaxed(word)
        case .acquiring: unsafe signal_observer_load_acquire(word)
        }
      }
    }

    @inlinable @inline(__always)
    func store(_ value: Int, ordering: StoreOrdering) {
      unsafe withWord { word in
        switch ordering {
        case .relaxed: unsafe signal_observer_store_relaxed(word, value)
        case .releasing: unsafe signal_observer_store_release(word, value)
        }
      }
    }

    @inlinable @inline(__always) @discardableResult
    func wrappingAdd(
      _ value: Int, ordering: UpdateOrdering
    ) -> (oldValue: Int, newValue: Int) {
      let old = unsafe withWord { word in
        switch ordering {
        case .relaxed: unsafe signal_observer_add_relaxed(word, value)
        case .acquiringAndReleasing: unsafe signal_observer_add_acq_rel(word, value)
        }
      }
      return (old, old &+ value)
    }

    // Relaxed: no use of these three needs more.

    @inlinable @inline(__always)
    func bitwiseOr(_ value: Int) {
      unsafe withWord { word in unsafe signal_observer_or_relaxed(word, value) }
    }

    /// Returns the old value.
    @inlinable @inline(__always) @discardableResult
    func bitwiseAnd(_ value: Int) -> Int {
      unsafe withWord { word in unsafe signal_observer_and_relaxed(word, value) }
    }

    /// Replaces `expected` by `desired`, if that is there.
    @inlinable @inline(__always)
    func compareExchange(expected: Int, desired: Int) -> (exchanged: Bool, original: Int) {
      let original = unsafe withWord { word in
        unsafe signal_observer_compare_exchange(word, expected, desired)
      }
      return (original == expected, original)
    }
  }
#else
  public import Synchronization

  /// A word that threads share.
  @usableFromInline
  struct Atomic: ~Copyable, Sendable {
    @usableFromInline let word: Synchronization.Atomic<Int>

    @inlinable @inline(__always)
    init(_ value: Int) { word = Synchronization.Atomic(value) }

    @inlinable @inline(__always)
    func load(ordering: LoadOrdering) -> Int {
      switch ordering {
      case .relaxed: word.load(ordering: .relaxed)
      case .acquiring: word.load(ordering: .acquiring)
      }
    }

    @inlinable @inline(__always)
    func store(_ value: Int, ordering: StoreOrdering) {
      switch ordering {
      case .relaxed: word.store(value, ordering: .relaxed)
      case .releasing: word.store(value, ordering: .releasing)
      }
    }

    @inlinable @inline(__always) @discardableResult
    func wrappingAdd(
      _ value: Int, ordering: UpdateOrdering
    ) -> (oldValue: Int, newValue: Int) {
      switch ordering {
      case .relaxed: word.wrappingAdd(value, ordering: .relaxed)
      case .acquiringAndReleasing: word.wrappingAdd(value, ordering: .acquiringAndReleasing)
      }
    }

    // Relaxed: no use of these three needs more.

    @inlinable @inline(__always)
    func bitwiseOr(_ value: Int) { word.bitwiseOr(value, ordering: .relaxed) }

    /// Returns the old value.
    @inlinable @inline(__always) @discardableResult
    func bitwiseAnd(_ value: Int) -> Int { word.bitwiseAnd(value, ordering: .relaxed).oldValue }

    /// Replaces `expected` by `desired`, if that is there.
    ///
    /// It may fail without cause.
    @inlinable @inline(__always)
    func compareExchange(expected: Int, desired: Int) -> (exchanged: Bool, original: Int) {
      word.weakCompareExchange(expected: expected, desired: desired, ordering: .relaxed)
    }
  }
#endif

#if !SO_EXPLORE
  extension Atomic {
    @usableFromInline
    enum LoadOrdering { case relaxed, acquiring }

    @usableFromInline
    enum StoreOrdering { case relaxed, releasing }

    @usableFromInline
    enum UpdateOrdering { case relaxed, acquiringAndReleasing }

    @inlinable @inline(__always) @discardableResult
    func wrappingSubtract(
      _ value: Int, ordering: UpdateOrdering
    ) -> (oldValue: Int, newValue: Int) {
      wrappingAdd(0 &- value, ordering: ordering)
    }
  }
#endif
