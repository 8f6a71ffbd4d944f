/// The operations of a ``Backlog`` on payloads whose type it does not know.
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

  /// Initializes `target` with a copy of the payload at `source`.
  @inline(__always)
  func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    if !isTrivial {
      unsafe handling.copy(source, to: target)
    } else if size == 8 {
      // Numbers and references without an owner, most often: a call would cost more.
      unsafe target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
    } else {
      unsafe target.copyMemory(from: source, byteCount: size)
    }
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
