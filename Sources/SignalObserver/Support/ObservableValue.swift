public import Observation
import Synchronization

/// The object that stands for a value in Observation.
///
/// It is not generic, because each use of a key path of a generic type makes that path anew, on the
/// heap.
@usableFromInline
final class ObservableValue: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let changeCount = Atomic<Int>(0)

  /// Empty, because Observation needs a key path, and does not read by it.
  private var value: Void { () }

  /// The number of changes of the value.
  ///
  /// Relaxed: a value is read under its lock, after the count, and so is not older than the count.
  var changes: Int { changeCount.load(ordering: .relaxed) }

  func read() {
    registrar.access(self, keyPath: \.value)
    unsafe ValueReads.current?.pointee.note(self)
  }

  @usableFromInline
  func willChange() {
    registrar.willSet(self, keyPath: \.value)
  }

  /// Counts the change, and tells Observation of it.
  ///
  /// It also tells code that `willChange` has told, on another thread, and that has read the old
  /// value again since.
  @usableFromInline
  func hasChanged() {
    changeCount.wrappingAdd(1, ordering: .relaxed)
    registrar.didSet(self, keyPath: \.value)
    registrar.willSet(self, keyPath: \.value)
  }
}
