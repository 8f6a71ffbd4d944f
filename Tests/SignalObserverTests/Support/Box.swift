import Synchronization

/// A place for a value that is known only after the closure that needs it was made.
final class Box<Value: Sendable>: Sendable {
  private let storage: Mutex<Value?>

  init(_ value: Value? = nil) { storage = Mutex(value) }

  var value: Value? {
    get { storage.withLock { $0 } }
    set {
      // The old value is released after the lock, because its `deinit` may use this box.
      let old = storage.withLock { value in
        let old = value
        value = newValue
        return old
      }
      withExtendedLifetime(old) {}
    }
  }
}
