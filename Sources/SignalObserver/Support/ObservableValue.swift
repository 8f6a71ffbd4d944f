public import Observation
import Synchronization

/// What Observation knows in place of a value.
///
/// Not generic, because the key path of a generic type is made anew, on the heap, at each use.
@usableFromInline
final class ObservableValue: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let changeCount = Atomic<Int>(0)

  /// Has no value: Observation wants a key path, and does not read.
  private var value: Void { () }

  /// How often the value has changed.
  ///
  /// Relaxed: a value is read under its lock, after the count, and so is not older than that.
  var changes: Int { changeCount.load(ordering: .relaxed) }

  func read() {
    registrar.access(self, keyPath: \.value)
    unsafe ValueReads.current?.pointee.note(self)
  }

  @usableFromInline
  func willChange() {
    registrar.willSet(self, keyPath: \.value)
  }

  /// Tells also those who were told before the change, on another thread, and have read the old value
  /// again since.
  @usableFromInline
  func hasChanged() {
    changeCount.wrappingAdd(1, ordering: .relaxed)
    registrar.didSet(self, keyPath: \.value)
    registrar.willSet(self, keyPath: \.value)
  }
}
