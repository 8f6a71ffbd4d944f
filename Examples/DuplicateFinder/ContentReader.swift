/// Reads files block by block, to tell whether their contents are equal.
///
/// It has two blocks of memory. It opens one file at a time, beside the reference.
struct ContentReader {
  let stopFlag: StopFlag
  private var block = Block()
  private var otherBlock = Block()

  init(_ stopFlag: StopFlag) {
    self.stopFlag = stopFlag
  }

  /// Returns a number that is equal for files with equal first `length` bytes.
  ///
  /// Files with equal numbers are likely to be equal, and may still differ.
  mutating func digest(of file: FoundFile, length: Int) throws -> Int {
    let opened = try OpenFile(file)
    var hasher = Hasher()
    for offset in stride(from: 0, to: length, by: Block.capacity) {
      try stopFlag.check()
      try block.read(opened, at: offset, count: min(length - offset, Block.capacity))
      block.hash(into: &hasher)
    }
    return hasher.finalize()
  }

  /// Whether every byte of `file` equals that of `reference`, which has the same size.
  mutating func isEqual(_ file: FoundFile, to reference: borrowing OpenFile) throws -> Bool {
    let opened = try OpenFile(file)
    for offset in stride(from: 0, to: file.size, by: Block.capacity) {
      try stopFlag.check()
      let count = min(file.size - offset, Block.capacity)
      try block.read(opened, at: offset, count: count)
      try otherBlock.read(reference, at: offset, count: count)
      if !block.hasSameBytes(as: otherBlock) { return false }
    }
    return true
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file open for reading, until it is dropped.
struct OpenFile: ~Copyable {
  let file: FoundFile
  private let descriptor: Int32

  /// Opens `file`, if it still is what was found.
  ///
  /// Somebody may have put a pipe or a link in its place. Opening does not wait for a pipe's
  /// writer, and what is not the same regular file is not read.
  init(_ file: FoundFile) throws(UnreadableFile) {
    let descriptor = file.path.open(O_RDONLY | O_NONBLOCK)
    if descriptor < 0 { throw .systemError(file.path) }
    if let failure = Self.difference(descriptor, file) {
      close(descriptor)
      throw failure
    }
    self.file = file
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Fills `buffer` with what the file has from `offset` on.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(UnreadableFile) {
    var done = 0
    while done < buffer.count {
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = unsafe pread(descriptor, part.baseAddress, part.count, off_t(offset + done))
      if count == 0 { throw .changed(file.path) }
      if count < 0 && errno != EINTR { throw .systemError(file.path) }
      done += max(count, 0)
    }
  }

  /// Says what is wrong if the open file is not `file`.
  private static func difference(_ descriptor: Int32, _ file: FoundFile) -> UnreadableFile? {
    var status = stat()
    if unsafe fstat(descriptor, &status) != 0 { return .systemError(file.path) }
    let isSame = FileIdentity(status) == file.identity && Int(status.st_size) == file.size
    return isSame ? nil : .changed(file.path)
  }
}

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
