import CSignalObserver
import Synchronization

/// A thread that is looking at a ``SnapshotList``, as a record on its stack.
///
/// The readers of a thread form a chain from the innermost outwards, across lists. By it a list
/// knows how many of its readers are the calling thread's own, and whether one of them is calling
/// an element (guarantee 9).
///
/// Pointers into the chain are valid for the duration of the reading; only the thread that owns the
/// stack follows them.
@unsafe
struct SnapshotReader {
  /// The list that is read, for comparison only.
  let list: ObjectIdentifier
  /// Those of the buffer that the list had when the reader entered: valid until it leaves.
  private let elements: UnsafeMutablePointer<Atomic<SnapshotBuffer.Element?>>
  /// How many places of the buffer there were when the reader entered.
  let count: Int
  /// The element that is being called, if one is.
  ///
  /// Each reader makes one call at a time, so the chain names every element that this thread calls.
  var calling: UnsafeMutableRawPointer?
  /// The reader that this one is inside of.
  let outer: UnsafeMutablePointer<SnapshotReader>?
  /// The innermost reader of the same list that this one is inside of.
  var outerOfList: UnsafeMutablePointer<SnapshotReader>?
  /// How many readers of the list the thread has up to this one.
  var depth = 1
  /// The purpose of the reading, set by the reader; nil if it only looks.
  var purpose: UnsafeMutableRawPointer?

  init(
    list: ObjectIdentifier, buffer: Unmanaged<SnapshotBuffer>, count: Int,
    outer: UnsafeMutablePointer<SnapshotReader>?
  ) {
    unsafe self.list = list
    // Not retained, because two atomic operations more would double the cost of reading one
    // element.
    unsafe elements = buffer._withUnsafeGuaranteedRef { unsafe $0.elements }
    unsafe self.count = count
    unsafe self.outer = outer
  }

  /// The element at `index`, or nil if it was removed.
  ///
  /// Acquiring, because an element is reached through it; free on x86 and one instruction on arm64.
  @inline(__always)
  subscript(index: Int) -> SnapshotBuffer.Element? {
    unsafe plainRead(UnsafeRawPointer(elements), "a buffer")
    // ordering: the count, or the buffer itself, was acquired before, and covers the place
    return unsafe elements[index].load(ordering: .acquiring)
  }

  /// The innermost reader of the calling thread.
  static var current: UnsafeMutablePointer<SnapshotReader>? {
    @inline(__always) get {
      unsafe signal_observer_get_reader()?.assumingMemoryBound(to: SnapshotReader.self)
    }
    @inline(__always) set {
      unsafe signal_observer_set_reader(newValue)
    }
  }

  /// The first reader with a purpose, from `reader` outwards.
  static func purposeful(
    from reader: UnsafeMutablePointer<SnapshotReader>?
  ) -> UnsafeMutablePointer<SnapshotReader>? {
    var reader = unsafe reader
    while let each = unsafe reader, unsafe each.pointee.purpose == nil {
      unsafe reader = each.pointee.outer
    }
    return unsafe reader
  }

  /// The innermost reader of `list` on the calling thread.
  static func innermost(of list: ObjectIdentifier) -> UnsafeMutablePointer<SnapshotReader>? {
    var reader = unsafe current
    while let each = unsafe reader {
      if unsafe each.pointee.list == list { return unsafe each }
      unsafe reader = each.pointee.outer
    }
    return nil
  }
}
