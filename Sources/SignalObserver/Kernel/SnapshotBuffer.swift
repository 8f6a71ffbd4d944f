import Synchronization

/// Room for a fixed number of elements, filled from the front: the memory that readers walk without
/// a lock.
///
/// It does not own the elements in it. The ``SnapshotList`` does, once for all buffers that an
/// element is in, so that elements move between buffers without being counted.
///
/// `@unchecked Sendable`: `elements` is a constant pointer to atomics, freed by `deinit`; every
/// other field is constant or atomic.
@safe
final class SnapshotBuffer: @unchecked Sendable {
  typealias Element = UnsafeMutableRawPointer

  let capacity: Int
  /// The generation in which this buffer was published.
  let birth: UInt64
  let elements: UnsafeMutablePointer<Atomic<Element?>>
  /// How many places are in use, holes included; grows under the list's lock.
  ///
  /// Releasing store, acquiring load: an element is complete before the count covers it.
  private let filled = Atomic<Int>(0)

  init(capacity: Int, birth: UInt64) {
    self.capacity = capacity
    self.birth = birth
    unsafe elements = .allocate(capacity: capacity)
    unsafe plainBegin(UnsafeRawPointer(elements), "a buffer")
  }

  deinit {
    // `Atomic` of a pointer is trivial, so there is nothing to deinitialize.
    unsafe elements.deallocate()
  }

  var count: Int {
    @inline(__always) get { filled.load(ordering: .acquiring) }
  }

  /// The element at `index`, or nil if it was removed.
  ///
  /// Acquiring, because an element is reached through it; free on x86 and one instruction on arm64.
  @inline(__always)
  subscript(index: Int) -> Element? {
    // ordering: the count, or the buffer itself, was acquired before, and covers the place
    unsafe elements[index].load(ordering: .acquiring)
  }

  /// Adds `element` behind the others.
  ///
  /// Under the list's lock, with room left.
  func append(_ element: Element) -> Int {
    let index = filled.load(ordering: .relaxed)
    unsafe (elements + index).initialize(to: Atomic(element))
    filled.store(index + 1, ordering: .releasing)
    return index
  }

  /// Leaves a hole at `index`.
  ///
  /// Under the list's lock. Relaxed: a removal writes the list's count of readers next, and a
  /// reader that is not in that count comes after this store.
  func clear(_ index: Int) {
    unsafe elements[index].store(nil, ordering: .relaxed)
  }
}
