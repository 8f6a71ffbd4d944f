import Observation

/// The object that stands for a value whose reads count, for Observation and for tracking.
///
/// This class is for systems without Observation, and counts alone. The others have a subclass.
///
/// `@unchecked Sendable`: it has a constant alone, which is `Sendable`.
@usableFromInline
class ObservableValue: @unchecked Sendable {
  private let changeCount = Atomic(0)

  fileprivate init() {}

  static func make() -> ObservableValue {
    if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
      return ObservedValue()
    }
    return ObservableValue()
  }

  /// The number of changes of the value.
  ///
  /// Relaxed: the value is read after the count, under its lock, so it is not older than the count.
  final var changes: Int { changeCount.load(ordering: .relaxed) }

  func read() {
    _ = ValueReads.note(self)
  }

  /// Tells Observation, if there is one, that the value is about to change.
  @usableFromInline
  func willChange() {}

  /// Counts the change, and tells Observation about it, if there is one.
  @usableFromInline
  func hasChanged() {
    changeCount.wrappingAdd(1, ordering: .relaxed)
  }
}

/// The object that stands for a value in Observation.
///
/// The class is not generic, because each use of a key path of a generic type allocates the path
/// again.
///
/// `@unchecked Sendable`: constant, and the registrar has its own lock.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
private final class ObservedValue: ObservableValue, Observable, @unchecked Sendable {
  private let registrar = ObservationRegistrar()

  /// Observation needs a key path, but reads nothing through it, so this is empty.
  private var value: Void { () }

  override func read() {
    if ValueReads.note(self) { registrar.access(self, keyPath: \.value) }
  }

  override func willChange() {
    registrar.willSet(self, keyPath: \.value)
  }

  // `willChange` has told code on another thread, too. If that code has read the old value again
  // since, this tells it once more.
  override func hasChanged() {
    super.hasChanged()
    registrar.didSet(self, keyPath: \.value)
    registrar.willSet(self, keyPath: \.value)
  }
}
