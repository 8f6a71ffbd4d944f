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
