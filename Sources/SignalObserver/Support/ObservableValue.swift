public import Observation
import Synchronization

/// A value that a property may read, and that a binding sets through that property.
@usableFromInline
protocol BoundValue: AnyObject {
  /// The number of changes.
  var version: UInt64 { get }

  /// Counts a change as seen, because it equals the value. Does so only if the value still has this
  /// version.
  func see(_ stamp: UInt64, at version: UInt64) -> Bool
}

/// The object that stands for a value in Observation.
///
/// The class is not generic, because each use of a key path of a generic type allocates the path
/// again.
@usableFromInline
final class ObservableValue: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let changeCount = Atomic<Int>(0)

  /// The value.
  ///
  /// This reference is weak, because code that observes the value holds this object.
  ///
  /// This is safe, because a thread that reads the value may use it, and nobody writes it after
  /// `init` (some compilers refuse `weak let`).
  nonisolated(unsafe) weak var owner: (any BoundValue)?

  init(_ owner: any BoundValue) { unsafe self.owner = owner }

  /// Observation needs a key path, but reads nothing through it, so this is empty.
  private var value: Void { () }

  /// The number of changes of the value.
  ///
  /// Relaxed: the value is read after the count, under its lock, so it is not older than the count.
  var changes: Int { changeCount.load(ordering: .relaxed) }

  func read() {
    if unsafe ValueReads.note(self) { registrar.access(self, keyPath: \.value) }
  }

  /// Takes the cause with which a binding sets the value, if it does so through a property.
  @usableFromInline
  func takeCause() -> Cause? { unsafe ValueReads.cause(of: self) }

  /// Gives back the cause that was taken for a set that was refused.
  @usableFromInline
  func keepCause() { unsafe ValueReads.keep(self) }

  @usableFromInline
  func willChange() {
    registrar.willSet(self, keyPath: \.value)
  }

  /// Counts the change, and tells Observation about it.
  ///
  /// `willChange` has told code on another thread, too. If that code has read the old value again
  /// since, this tells it once more.
  @usableFromInline
  func hasChanged() {
    changeCount.wrappingAdd(1, ordering: .relaxed)
    registrar.didSet(self, keyPath: \.value)
    registrar.willSet(self, keyPath: \.value)
  }
}
