#if !SO_EXPLORE && !(os(macOS) || os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
  public import Synchronization
#endif

/// A value that is reached under a lock only.
///
/// The one place that knows which lock it is. Only this package's own code runs inside
/// ``withLock(_:)``, and it calls nobody else's: no slot, no transform, no `deinit` of a target,
/// capture or payload (guarantee 7). A thread that takes the lock twice stops the program at
/// once; on Windows, it waits for ever.
///
/// `Sendable` only if the state is: a body may return parts of it, which are used after the lock.
/// The owner of any other state says why its parts stay in the isolation domain of their signal.
@usableFromInline
package struct Lock<State>: ~Copyable {
  @usableFromInline let mutex: Mutex<Passed<State>>

  @inlinable
  package init(_ state: State) {
    mutex = Mutex(Passed(state))
  }

  @inlinable
  package borrowing func withLock<Value>(_ body: (inout State) -> Value) -> Value {
    mutex.withLock { passed in Passed(body(&passed.value)) }.value
  }
}

extension Lock: Sendable where State: Sendable {}

/// A value that passes into or out of the mutex.
///
/// `@unchecked Sendable`: `Mutex` takes and returns `sending` values, which generic code cannot
/// prove its values to be. Every body is in this package. One that let a part of a state that is
/// not `Sendable` escape from its isolation domain would break this.
@usableFromInline
struct Passed<Value>: @unchecked Sendable {
  @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}

/// Keeps `value` alive until this call.
///
/// This has two uses. A value that was taken out under a lock is then released after the lock,
/// because its release may run anybody's `deinit` (guarantee 7). And a closure that calls this
/// keeps the value as long as the closure lives.
@inlinable @inline(__always)
func holdUntilHere<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
