#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A part of a file in memory; there are never more than two, however large the files are.
struct Block {
  static let capacity = 128 * 1024

  private var bytes = [UInt8](repeating: 0, count: capacity)
  private var count = 0

  /// Reads `count` bytes of `file` from `offset` on, at most ``capacity``.
  mutating func read(_ file: borrowing OpenFile, at offset: Int, count: Int) throws {
    self.count = count
    try unsafe bytes.withUnsafeMutableBytes { bytes in
      try unsafe file.read(
        at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
    }
  }

  func hasSameBytes(as other: Block) -> Bool {
    unsafe bytes.withUnsafeBytes { left in
      unsafe other.bytes.withUnsafeBytes { right in
        // Both have `capacity` bytes, so neither address is nil.
        unsafe count == other.count
          && memcmp(left.baseAddress.unsafelyUnwrapped, right.baseAddress.unsafelyUnwrapped, count)
            == 0
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }
}
