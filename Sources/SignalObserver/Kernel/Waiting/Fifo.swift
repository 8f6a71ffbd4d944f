/// Elements that are taken out in the order in which they were added.
///
/// They lie in chunks of at most 128, so that a long queue never moves as a whole. An element that
/// is taken out is moved, and not copied. An empty queue keeps one array, with room for 96 bytes of
/// elements at most.
///
/// It may be used under a lock: it hands out each element that it removes, and releases none.
@usableFromInline
struct Fifo<Element> {
  @usableFromInline typealias Chunk = ContiguousArray<Element>

  // From the oldest element to the newest one:
  //
  //     front, from its end ─▶ older, from its end ─▶ newer ─▶ back
  //
  // `front` is reversed: its last element is the oldest of all. So is the order of the chunks in
  // `older`, whose last chunk is the oldest. Each chunk of `older` and `newer` is full, and begins
  // with its oldest element. Of the four, only `back` has memory while it is empty.
  @usableFromInline var front: Chunk = []
  @usableFromInline var older: ContiguousArray<Chunk> = []
  @usableFromInline var newer: ContiguousArray<Chunk> = []
  @usableFromInline var back: Chunk = []

  @inlinable
  init() {}

  /// The number of elements in a full chunk: 128, or as many as fit into 8 KiB.
  @inlinable
  static var chunkCount: Int { max(1, min(128, 8192 / max(1, MemoryLayout<Element>.stride))) }

  @inlinable
  var isEmpty: Bool { front.isEmpty && older.isEmpty && newer.isEmpty && back.isEmpty }

  @inlinable
  var count: Int { front.count + (older.count + newer.count) * Self.chunkCount + back.count }

  /// The oldest element.
  @inlinable
  var first: Element? {
    front.last ?? older.last?.first ?? newer.first?.first ?? back.first
  }

  @inlinable @inline(__always)
  mutating func append(_ element: Element) {
    if back.count == Self.chunkCount { closeChunk() }
    back.append(element)
  }

  @inlinable @inline(never)
  mutating func closeChunk() {
    newer.append(back)
    back = []
    back.reserveCapacity(Self.chunkCount)
  }

  @inlinable
  mutating func popFirst() -> Element? {
    if front.isEmpty {
      if isEmpty { return nil }
      beginChunk()
    }
    let element = front.removeLast()
    if front.isEmpty { freeFront() }
    return element
  }

  /// Moves the oldest `count` elements, or all if there are fewer, to the end of `other`.
  @inlinable
  mutating func move(_ count: Int, to other: inout Fifo) {
    for _ in 0..<count { if let element = popFirst() { other.append(element) } }
  }

  /// Takes out the oldest elements, as many as lie together; the last one is the oldest.
  ///
  /// Those that are not used are put back.
  @inlinable
  mutating func takeFront() -> Chunk {
    if front.isEmpty { beginChunk() }
    var taken = Chunk()
    swap(&taken, &front)
    return taken
  }

  /// Puts back what was not used of `takeFront`, before anything else is taken out.
  @inlinable
  mutating func putBack(_ chunk: consuming Chunk) {
    front = chunk
    if front.isEmpty { freeFront() }
  }

  /// Releases the memory of the front, which is empty, or makes it that of the back, if it is small
  /// and the back has none.
  @inlinable
  mutating func freeFront() {
    if back.capacity == 0, front.capacity * MemoryLayout<Element>.stride <= 96 {
      swap(&front, &back)
    } else {
      front = []
    }
  }

  /// Makes the next chunk the front, which is empty.
  @inlinable @inline(never)
  mutating func beginChunk() {
    if older.isEmpty, !newer.isEmpty {
      swap(&older, &newer)
      unsafe older.withUnsafeMutableBufferPointer { unsafe $0.reverse() }
    }
    if let chunk = older.popLast() {
      front = chunk
      if older.isEmpty { older = [] }
    } else {
      swap(&front, &back)
    }
    // By a buffer, which is five times as fast.
    if front.count > 1 { unsafe front.withUnsafeMutableBufferPointer { unsafe $0.reverse() } }
  }
}

extension Fifo: Sendable where Element: Sendable {}
