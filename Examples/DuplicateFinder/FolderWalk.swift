#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Finds the regular files below folders, each once, whatever names it has.
///
/// One folder is open at a time. Symbolic links are not followed, except a root that is one. What is
/// neither a file nor a folder is not touched.
struct FolderWalk {
  /// What has been found, in no order.
  private(set) var files: [FoundFile] = []

  private let selection: Selection
  /// Where each file is in `files`.
  private var indexes: [FileIdentity: Int] = [:]
  private var visited: Set<FileIdentity> = []
  private var pending: [Path] = []

  init(_ selection: Selection) {
    self.selection = selection
  }

  /// Whether no folders are left to read.
  var isFinished: Bool { pending.isEmpty }

  /// Takes up a file or folder that the user has named.
  mutating func enter(_ root: Path) throws(UnreadableFile) {
    var status = stat()
    if !root.isFollowed(to: &status) { throw .systemError(root) }
    add(root, status)
  }

  /// Reads one of the folders that are left.
  ///
  /// - Parameters:
  ///   - stopFlag: Looked at before each name.
  ///   - announce: Called with each thing in it that cannot be read.
  /// - Throws: ``UnreadableFile`` if that is the folder, or ``StopFlag/Stopped``.
  mutating func readNextFolder(
    _ stopFlag: StopFlag, _ announce: (UnreadableFile) -> Void
  ) throws {
    guard let path = pending.popLast() else { return }
    let folder = try OpenFolder(path)
    // It was read before if the user has named it twice, or a folder above it.
    if !visited.insert(try folder.identity()).inserted { return }
    while let name = try folder.nextName() {
      try stopFlag.check()
      if selection.excludes(name) { continue }
      do throws(UnreadableFile) {
        add(path.appending(name), try folder.status(of: name))
      } catch {
        announce(error)
      }
    }
  }

  private mutating func add(_ path: Path, _ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: pending.append(path)
    case S_IFREG where Int(status.st_size) >= selection.minimumSize:
      add(FoundFile(path: path, identity: FileIdentity(status), size: Int(status.st_size)))
    default: break
    }
  }

  /// Of a file with several names, keeps the first one.
  private mutating func add(_ file: FoundFile) {
    if let index = indexes[file.identity] {
      files[index].path = min(files[index].path, file.path)
    } else {
      indexes[file.identity] = files.count
      files.append(file)
    }
  }
}

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
