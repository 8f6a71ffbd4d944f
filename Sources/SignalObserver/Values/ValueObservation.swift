public import Synchronization

/// Tells Observation about the reads and changes of one ``SignalValue``.
///
/// The first read makes the object that Observation needs. If a value is never read, each set costs
/// two more loads, which are inlined. Observation calls `onChange` closures at once, so these
/// functions must not be called under a lock.
@safe
@usableFromInline
struct ValueObservation: ~Copyable, Sendable {
  /// The object, which this structure owns: it is stored once, under the lock, and released at the
  /// end.
  ///
  /// The store releases and the load acquires, so a thread that finds the object finds it complete.
  @usableFromInline let observable = unsafe Atomic<Unmanaged<ObservableValue>?>(nil)
  private let making = Lock(())

  @usableFromInline
  init() {}

  deinit {
    // ordering: the last reference is released after all uses
    unsafe observable.load(ordering: .acquiring)?.release()
  }

  /// The object that stands for the value in Observation; nil if the value was never read.
  @inlinable
  var made: ObservableValue? {
    unsafe observable.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Makes the calling code depend on the value, if Observation watches that code.
  @usableFromInline
  func read(_ value: any BoundValue) {
    (made ?? make(value)).read()
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

  private func make(_ value: any BoundValue) -> ObservableValue {
    making.withLock { _ in
      if let made { return made }
      let new = ObservableValue(value)
      unsafe observable.store(Unmanaged.passRetained(new), ordering: .releasing)
      return new
    }
  }
}
