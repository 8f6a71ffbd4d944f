#if canImport(Darwin)
  import Darwin
  private typealias Stream = UnsafeMutablePointer<DIR>
#elseif canImport(Musl)
  import Musl
  private typealias Stream = OpaquePointer
#else
  import Glibc
  private typealias Stream = OpaquePointer
#endif

/// A folder open for reading, until it is dropped.
///
/// `@safe`: the stream is made by the initialiser, closed by `deinit`, and nobody else's.
@safe
struct OpenFolder: ~Copyable {
  private static let itself = Path(".")
  private static let parent = Path("..")

  private let path: Path
  private let stream: Stream

  init(_ path: Path) throws(UnreadableFile) {
    let descriptor = path.open(O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { throw .systemError(path) }
    guard let stream = unsafe fdopendir(descriptor) else {
      let failure = UnreadableFile.systemError(path)
      close(descriptor)
      throw failure
    }
    self.path = path
    unsafe self.stream = unsafe stream
  }

  deinit { unsafe closedir(stream) }

  /// What the folder is, whatever its name says by now.
  func identity() throws(UnreadableFile) -> FileIdentity {
    var status = stat()
    if unsafe fstat(dirfd(stream), &status) != 0 { throw .systemError(path) }
    return FileIdentity(status)
  }

  /// Returns the next name, in the order of the file system, or nil at the end.
  func nextName() throws(UnreadableFile) -> Path? {
    while true {
      // The end and a failure differ in this only.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw .systemError(path) }
        return nil
      }
      let name = unsafe Self.name(of: entry)
      if name != Self.itself && name != Self.parent { return name }
    }
  }

  /// Returns what the folder has under `name`: of a symbolic link, the link.
  func status(of name: Path) throws(UnreadableFile) -> stat {
    var status = stat()
    let result = unsafe name.withCString {
      unsafe fstatat(dirfd(stream), $0, &status, AT_SYMLINK_NOFOLLOW)
    }
    if result != 0 { throw .systemError(path.appending(name)) }
    return status
  }

  /// Copies the name, which the next call of `readdir` overwrites.
  ///
  /// By address: `dirent` may be shorter in memory than its declared type, so it must not be loaded
  /// as a whole.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> Path {
    let offset = unsafe MemoryLayout<dirent>.offset(of: \.d_name).unsafelyUnwrapped
    let start = unsafe UnsafeRawPointer(entry).advanced(by: offset)
    return unsafe Path(cString: start.assumingMemoryBound(to: CChar.self))
  }
}
