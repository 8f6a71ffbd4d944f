public import Synchronization

/// Tells Observation of one ``SignalValue``: who reads it is told when it is set.
///
/// The first read makes what that takes, so that a value which is only connected to costs two loads
/// more to set, which is inlinable. Observation calls those whom it tells at once, so nothing here is
/// called under a lock.
@safe
@usableFromInline
struct ValueObservation: ~Copyable, Sendable {
  /// Owned; set once, under the lock, and released with this.
  ///
  /// Releasing store and acquiring load, so that who finds it finds it whole.
  @usableFromInline let observable = unsafe Atomic<Unmanaged<ObservableValue>?>(nil)
  private let making = Lock(())

  @usableFromInline
  init() {}

  deinit {
    // ordering: who releases the last reference comes after all uses
    unsafe observable.load(ordering: .acquiring)?.release()
  }

  /// What is told, if the value was ever read.
  @inlinable
  var made: ObservableValue? {
    unsafe observable.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Makes the code that calls this depend on the value, if it is code that is observed.
  @usableFromInline
  func read() {
    (made ?? make()).read()
  }

  /// The value is about to change.
  @inlinable
  func willChange() {
    made?.willChange()
  }

  /// The value has changed.
  @inlinable
  func hasChanged() {
    made?.hasChanged()
  }

  private func make() -> ObservableValue {
    making.withLock { _ in
      if let made { return made }
      let new = ObservableValue()
      unsafe observable.store(Unmanaged.passRetained(new), ordering: .releasing)
      return new
    }
  }
}
