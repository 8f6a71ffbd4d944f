import Synchronization

/// Room for a fixed number of slots, filled from the front: the memory that emissions walk without
/// a lock.
///
/// It does not own the slots in it (``SlotList`` does, once for all buffers a slot is in), so slots
/// move between buffers without being counted.
///
/// `@unchecked Sendable`: `elements` is a constant pointer to atomics, freed by `deinit`; every
/// other field is constant or atomic.
@safe
final class SlotBuffer: @unchecked Sendable {
  let capacity: Int
  /// The generation in which this buffer was published.
  let birth: UInt32
  private let elements: UnsafeMutablePointer<Atomic<Unmanaged<Slot>?>>
  /// How many elements are in use, holes included; grows under the list's lock.
  ///
  /// Releasing store, acquiring load: an element is complete before the count covers it.
  private let filled = Atomic<Int>(0)

  init(capacity: Int, birth: UInt32) {
    self.capacity = capacity
    self.birth = birth
    unsafe elements = .allocate(capacity: capacity)
    plainBegin(self, "a buffer")
  }

  deinit {
    // `Atomic` of a pointer is trivial, so there is nothing to deinitialize.
    unsafe elements.deallocate()
  }

  var count: Int { filled.load(ordering: .acquiring) }

  /// The slot at `index`, unowned, or nil if it was removed.
  ///
  /// Acquiring, because a slot is reached through it; free on x86 and one instruction on arm64.
  @inline(__always)
  subscript(index: Int) -> Unmanaged<Slot>? {
    unsafe elements[index].load(ordering: .acquiring)
  }

  /// Adds `slot` behind the others.
  ///
  /// Under the list's lock, with room left.
  func append(_ slot: Unmanaged<Slot>) -> Int {
    let index = filled.load(ordering: .relaxed)
    unsafe (elements + index).initialize(to: Atomic(slot))
    filled.store(index + 1, ordering: .releasing)
    return index
  }

  /// Leaves a hole at `index`.
  ///
  /// Under the list's lock.
  func clear(_ index: Int) {
    unsafe elements[index].store(nil, ordering: .relaxed)
  }
}
