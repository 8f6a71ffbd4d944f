/// An element of a ``SnapshotList``, which keeps a few fields there: in this library, a
/// ``SignalObserver``.
@usableFromInline
protocol SnapshotElement: AnyObject, Sendable {
  /// The index in the list's buffer, while the element is there; the largest number otherwise.
  ///
  /// Guarded by the list's lock.
  @unsafe var position: UInt32 { get set }
  /// The generation in which the element was appended; 0 if it never was.
  ///
  /// Guarded by the list's lock.
  @unsafe var birth: UInt64 { get set }
  /// Adds one, or minus one, to the number of calls of the element that a thread makes further out
  /// than its innermost reader of the list.
  func pin(_ change: Int)
  var isPinned: Bool { get }
  /// The element was removed, and no reader calls it, or will.
  ///
  /// Called without the lock, and perhaps more than once.
  func becameUnseen()
}

/// The state that the lock of a ``SnapshotList`` guards, as a value.
///
/// It calls nobody, and returns the objects that must be released after the lock. It does not know
/// the type of the elements, since a generic type destroys its fields by looking its layout up (a
/// thousand instructions for each signal).
struct SnapshotLedger {
  enum Appended {
    case done
    case full
    case finished
  }

  /// An element or a buffer that readers may be looking at.
  struct Kept {
    let element: AnyObject?
    let buffer: SnapshotBuffer?
    /// The last generation whose readers can see it.
    let death: UInt64
  }

  /// A generation that readers are still inside of although a later one has begun.
  struct Past {
    let generation: UInt64
    var inside: Int
    /// The removed objects for which this is the oldest generation that can see them.
    var kept: [Kept] = []
  }

  /// Owns the buffer; the elements in it are owned by the list, once each.
  private(set) var buffer: SnapshotBuffer?
  private var holes = 0
  /// 64 bits: at a million a second, they last for half a million years.
  private(set) var generation: UInt64
  /// From the oldest.
  private(set) var past: [Past] = []
  private(set) var insidePast = 0
  var isFinished = false

  init(generation: UInt64) {
    self.generation = generation
  }

  /// The generation, as far as readers see it.
  var word: UInt32 { UInt32(truncatingIfNeeded: generation) }

  // MARK: - Elements

  var hasRoom: Bool {
    guard let buffer else { return false }
    return buffer.count < buffer.capacity
  }

  /// One hole for four elements: moving costs each removal four steps at most, and a reader a
  /// quarter of a step for each element.
  var hasManyHoles: Bool {
    guard let buffer else { return false }
    return holes > 8 && holes * 5 > buffer.count
  }

  /// With room left.
  mutating func append<Element: SnapshotElement>(_ element: Element) {
    guard let buffer else { return }
    unsafe element.birth = generation
    unsafe element.position = unsafe UInt32(
      buffer.append(Unmanaged.passRetained(element).toOpaque()))
  }

  /// Takes `element` out of the buffer and returns it with the list's reference, if it is in.
  mutating func take<Element: SnapshotElement>(_ element: Element) -> Element? {
    guard let buffer, unsafe element.position != .max else { return nil }
    unsafe buffer.clear(Int(element.position))
    unsafe element.position = .max
    holes += 1
    return unsafe Unmanaged.passUnretained(element).takeRetainedValue()
  }

  mutating func takeAll<Element: SnapshotElement>(_: Element.Type) -> [Element] {
    guard let buffer = buffer.take() else { return [] }
    var elements: [Element] = []
    elements.reserveCapacity(buffer.count - holes)
    for index in 0..<buffer.count {
      guard let pointer = unsafe buffer[index] else { continue }
      let element = unsafe Unmanaged<Element>.fromOpaque(pointer).takeRetainedValue()
      unsafe element.position = .max
      elements.append(element)
    }
    holes = 0
    return elements
  }

  mutating func move<Element: SnapshotElement>(_: Element.Type) {
    let count = (buffer?.count ?? 0) - holes
    let next = SnapshotBuffer(capacity: max(4, count * 2), birth: generation)
    if let buffer {
      for index in 0..<buffer.count {
        guard let pointer = unsafe buffer[index] else { continue }
        let position = unsafe UInt32(next.append(pointer))
        unsafe Unmanaged<Element>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
          unsafe $0.position = position
        }
      }
    }
    buffer = next
    holes = 0
  }

  // MARK: - Generations

  /// Begins the next generation and returns the one that it follows.
  ///
  /// Its word is none that readers inside have: they leave by it.
  mutating func beginGeneration() -> UInt64 {
    defer {
      repeat { generation += 1 } while isWordInUse
    }
    return generation
  }

  private var isWordInUse: Bool {
    guard let oldest = past.first?.generation, generation - oldest > UInt64(UInt32.max) else {
      return false
    }
    return past.contains { UInt32(truncatingIfNeeded: $0.generation) == word }
  }

  /// Ends `generation`, with so many readers inside.
  mutating func end(_ generation: UInt64, inside: Int) {
    guard inside > 0 else { return }
    past.append(Past(generation: generation, inside: inside))
    insidePast += inside
  }

  /// Keeps an object with the oldest past generation that can see it; returns false if there is
  /// none.
  @discardableResult
  mutating func keepWithPast(
    _ element: AnyObject?, _ buffer: SnapshotBuffer?, birth: UInt64
  ) -> Bool {
    guard let death = past.last?.generation, death >= birth else { return false }
    var (low, high) = (0, past.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if past[middle].generation >= birth { high = middle } else { low = middle + 1 }
    }
    past[low].kept.append(Kept(element: element, buffer: buffer, death: death))
    return true
  }

  /// A reader of a past generation leaves.
  ///
  /// Returns the objects that nobody can see any more.
  mutating func leave(_ word: UInt32) -> [Kept] {
    // From the end, where a reader that is inside of others is.
    guard
      let index = past.lastIndex(where: { UInt32(truncatingIfNeeded: $0.generation) == word })
    else { return [] }
    insidePast -= 1
    past[index].inside -= 1
    guard past[index].inside == 0 else { return [] }
    let kept = past.remove(at: index).kept
    guard index < past.count else { return kept }
    var gone: [Kept] = []
    for each in kept {
      if each.death >= past[index].generation {
        past[index].kept.append(each)
      } else {
        gone.append(each)
      }
    }
    return gone
  }
}
