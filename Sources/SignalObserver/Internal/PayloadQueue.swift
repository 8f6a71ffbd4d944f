/// What a ``PayloadQueue`` does with payloads whose type it does not know.
@usableFromInline
protocol PayloadHandling {
  static func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer)
  static func move(
    _ source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer, count: Int)
  static func destroy(_ source: UnsafeMutableRawPointer, count: Int)
}

/// One type of payload, for code that is not generic.
@safe
@usableFromInline
struct PayloadType {
  @usableFromInline let size: Int
  @usableFromInline let stride: Int
  @usableFromInline let alignment: Int
  /// Whether copies are bytes and nothing needs to be destroyed: numbers, for one.
  @usableFromInline let isTrivial: Bool
  @usableFromInline let handling: any PayloadHandling.Type

  @inlinable
  init<Payload>(_: Payload.Type) {
    size = MemoryLayout<Payload>.size
    stride = MemoryLayout<Payload>.stride
    alignment = MemoryLayout<Payload>.alignment
    isTrivial = _isPOD(Payload.self)
    unsafe handling = Handling<Payload>.self
  }
}

/// The operations on one type of payload.
///
/// The addresses are of initialized payloads of this type, or of room for them.
@unsafe
@usableFromInline
enum Handling<Payload>: @unsafe PayloadHandling {
  @inlinable
  static func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    unsafe target.assumingMemoryBound(to: Payload.self)
      .initialize(to: source.assumingMemoryBound(to: Payload.self).pointee)
  }

  @inlinable
  static func move(
    _ source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer, count: Int
  ) {
    unsafe target.assumingMemoryBound(to: Payload.self)
      .moveInitialize(from: source.assumingMemoryBound(to: Payload.self), count: count)
  }

  @inlinable
  static func destroy(_ source: UnsafeMutableRawPointer, count: Int) {
    unsafe source.assumingMemoryBound(to: Payload.self).deinitialize(count: count)
  }
}

/// Payloads in the order in which they were emitted, in one block of memory.
///
/// A plain value without ownership: its user moves it by `swap` and empties it with
/// ``removeAll(_:)`` before it goes. Every operation is given the type of the payloads, always the
/// same one.
@unsafe
struct PayloadQueue {
  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  private var head = 0
  private var tail = 0

  var count: Int { unsafe tail - head }
  var isEmpty: Bool { unsafe head == tail }

  /// Adds a copy of the payload at `address`.
  @inline(__always)
  mutating func append(_ address: UnsafeRawPointer, _ type: PayloadType) {
    if unsafe tail == capacity { unsafe grow(type) }
    // `grow` has made room.
    let place = unsafe memory.unsafelyUnwrapped + tail * type.stride
    if type.isTrivial {
      unsafe place.copyMemory(from: address, byteCount: type.size)
    } else {
      unsafe type.handling.copy(address, to: place)
    }
    unsafe tail += 1
  }

  /// The address of the oldest payload, which stays until ``removeFirst(_:)``.
  @inline(__always)
  func first(_ type: PayloadType) -> UnsafeRawPointer? {
    if unsafe isEmpty { return nil }
    return unsafe memory.map { unsafe UnsafeRawPointer($0 + head * type.stride) }
  }

  @inline(__always)
  mutating func removeFirst(_ type: PayloadType) {
    let first = unsafe memory.unsafelyUnwrapped + head * type.stride
    unsafe head += 1
    if unsafe isEmpty {
      unsafe head = 0
      unsafe tail = 0
    }
    // Last, because it may run anybody's `deinit`.
    if !type.isTrivial { unsafe type.handling.destroy(first, count: 1) }
  }

  /// Empties the queue and gives its memory back.
  mutating func removeAll(_ type: PayloadType) {
    let old = unsafe self
    unsafe self = PayloadQueue()
    guard let memory = unsafe old.memory else { return }
    unsafe type.handling.destroy(memory + old.head * type.stride, count: old.count)
    unsafe memory.deallocate()
  }

  /// Gives the memory back if there is room for more than `limit` payloads and none is there.
  mutating func shrink(to limit: Int, _ type: PayloadType) {
    if unsafe isEmpty, unsafe capacity > limit { unsafe removeAll(type) }
  }

  private mutating func grow(_ type: PayloadType) {
    let larger = unsafe max(4, count * 2)
    let target = UnsafeMutableRawPointer.allocate(
      byteCount: larger * type.stride, alignment: type.alignment)
    if let memory = unsafe memory {
      unsafe type.handling.move(memory + head * type.stride, to: target, count: count)
      unsafe memory.deallocate()
    }
    unsafe tail = unsafe count
    unsafe head = 0
    unsafe memory = target
    unsafe capacity = larger
  }
}
