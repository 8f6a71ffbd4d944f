#if os(macOS) || os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
  public import CSignalObserver

  /// In place of the standard library's, which needs macOS 15 and iOS 18.
  ///
  /// The value is in an object of its own, which costs an allocation: inside a constant of the
  /// owner, the compiler could take it for a constant, too.
  ///
  /// `@unchecked Sendable`: the value is reached under the lock only.
  @usableFromInline
  struct Mutex<Value>: ~Copyable, @unchecked Sendable {
    @usableFromInline
    final class Guarded {
      @usableFromInline let word = LockWord()
      /// Unchecked exclusivity: the lock excludes, and stops a thread that takes it twice.
      @exclusivity(unchecked) @usableFromInline var value: Value

      @inlinable
      init(_ value: Value) { self.value = value }
    }

    @usableFromInline let guarded: Guarded

    @inlinable
    init(_ value: Value) { guarded = Guarded(value) }

    @inlinable
    borrowing func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
      guarded.word.lock()
      defer { guarded.word.unlock() }
      return body(&guarded.value)
    }
  }

  /// The memory of an `os_unfair_lock`, at an address that never changes: see ``Atomic``.
  @_rawLayout(like: UInt32)
  @usableFromInline
  @safe
  struct LockWord: ~Copyable, @unchecked Sendable {
    @inlinable
    init() {
      unsafe withWord { word in unsafe word.initialize(to: 0) }
    }

    /// Calls `body` with the address of the memory, which is valid during the call.
    @inlinable @inline(__always)
    func withWord(_ body: (UnsafeMutablePointer<UInt32>) -> Void) {
      unsafe withUnsafePointer(to: self) { address in
        unsafe body(
          UnsafeMutableRawPointer(mutating: address).assumingMemoryBound(to: UInt32.self))
      }
    }

    @inlinable
    func lock() {
      unsafe withWord { word in unsafe signal_observer_lock(word) }
    }

    @inlinable
    func unlock() {
      unsafe withWord { word in unsafe signal_observer_unlock(word) }
    }
  }
#endif
