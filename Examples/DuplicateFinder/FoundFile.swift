/// A regular file that a walk has found.
struct FoundFile {
  /// The first of its names, in the order of their bytes.
  var path: Path
  let identity: FileIdentity
  let size: Int
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The identity of a file, which is the same under each of its names.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file or folder that could not be read, with the reason.
public struct UnreadableFile: Error, Sendable, Hashable {
  /// The file or folder.
  public let path: Path
  /// The reason, in words for a person.
  public let reason: String

  /// A file that is no longer the file that the walk has found.
  static func changed(_ path: Path) -> UnreadableFile {
    UnreadableFile(path: path, reason: "Changed during the scan")
  }

  /// A file for which a system call has just failed.
  static func systemError(_ path: Path, _ code: Int32 = errno) -> UnreadableFile {
    // The text is copied at once; for the errors that files have it is a constant of the system.
    UnreadableFile(path: path, reason: unsafe String(cString: strerror(code)))
  }
}
