import Foundation

/// A value under a lock, like `Mutex`, but with a mutex of the system.
///
/// ThreadSanitizer does not know the call with which `Mutex` waits in the operating system, and
/// would report every access that a `Mutex` guards.
///
/// `@unchecked Sendable`: the value is used under the lock only. No user code runs under the lock.
package final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  /// The mutex is allocated, because its address must not change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init(_ value: sending Value) {
    self.value = value
    // This cannot fail without attributes.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
