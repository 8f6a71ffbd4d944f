#if !SO_EXPLORE
  public import Synchronization
#endif

/// A value that is reached under a lock only.
///
/// The one place that knows which lock it is. Only this package's own code runs inside
/// ``withLock(_:)``, and it calls nobody else's: no slot, no transform, no `deinit` of a target,
/// capture or payload (guarantee 7). The lock does not recurse, so a mistake stops the program at
/// once.
///
/// `@unchecked Sendable`, also if the state is not: the mutex keeps accesses apart. What a body
/// returns is used after the lock. A part of it that is not `Sendable` must stay in the isolation
/// domain of its signal, which the compiler does not check here.
@usableFromInline
struct Lock<State>: ~Copyable, @unchecked Sendable {
  /// A value that passes into or out of the mutex.
  ///
  /// `@unchecked Sendable`: `Mutex` takes and returns `sending` values, which generic code cannot
  /// prove its values to be. Every body is in this module.
  @usableFromInline
  struct Passed<Value>: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
  }

  @usableFromInline let mutex: Mutex<Passed<State>>

  @inlinable
  init(_ state: State) {
    mutex = Mutex(Passed(state))
  }

  @inlinable
  borrowing func withLock<Value>(_ body: (inout State) -> Value) -> Value {
    mutex.withLock { passed in Passed(body(&passed.value)) }.value
  }
}

/// Keeps `value` alive until this call.
///
/// This has two uses. A value that was taken out under a lock is then released after the lock,
/// because its release may run anybody's `deinit` (guarantee 7). And a closure that calls this
/// keeps the value as long as the closure lives.
@inlinable
@inline(__always)
func holdUntilHere<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
