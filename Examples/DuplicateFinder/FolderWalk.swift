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
