public import Synchronization

/// Tells Observation of the reads and the changes of one ``SignalValue``.
///
/// The first read makes the object that Observation needs. If a value is never read, a set costs
/// two more loads, which are inlined. Observation calls an `onChange` closure at once, so these
/// functions are not called under a lock.
@safe
@usableFromInline
struct ValueObservation: ~Copyable, Sendable {
  /// The owned object: set once, under the lock, and released with this structure.
  ///
  /// The store releases and the load acquires, so that a thread that finds the object finds it
  /// complete.
  @usableFromInline let observable = unsafe Atomic<Unmanaged<ObservableValue>?>(nil)
  private let making = Lock(())

  @usableFromInline
  init() {}

  deinit {
    // ordering: the release of the last reference comes after all uses
    unsafe observable.load(ordering: .acquiring)?.release()
  }

  /// The object that Observation is told of; nil if the value was never read.
  @inlinable
  var made: ObservableValue? {
    unsafe observable.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Makes the calling code depend on the value, if Observation watches that code.
  @usableFromInline
  func read() {
    (made ?? make()).read()
  }

  /// Tells Observation that the value is about to change.
  @inlinable
  func willChange() {
    made?.willChange()
  }

  /// Tells Observation that the value has changed.
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
