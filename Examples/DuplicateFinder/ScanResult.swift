/// Files whose bytes are all equal.
public struct DuplicateGroup: Sendable, Hashable {
  /// The number of bytes of each file.
  public let size: Int
  /// The files, two or more, in the order of their names' bytes.
  public let paths: [Path]

  /// The number of files that could be deleted without losing any content.
  public var redundantFiles: Int { paths.count - 1 }
  /// The number of bytes that these files take.
  public var redundantBytes: Int { redundantFiles * size }
}

/// The result of a scan.
public struct ScanResult: Sendable, Hashable {
  /// The groups in the order in which they were announced: large files first, then by name.
  public internal(set) var groups: [DuplicateGroup] = []
  /// The files and folders that could not be read, in the order in which they were announced.
  public internal(set) var unreadable: [UnreadableFile] = []
  /// Whether the scan ran to its end.
  ///
  /// False if it was stopped.
  public internal(set) var isComplete = true

  /// The number of files that could be deleted without losing any content.
  public var redundantFiles: Int { groups.reduce(0) { $0 + $1.redundantFiles } }
  /// The number of bytes that these files take.
  public var redundantBytes: Int { groups.reduce(0) { $0 + $1.redundantBytes } }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Which files a search looks at.
struct Selection: Sendable {
  let minimumSize: Int
  /// Patterns of a shell.
  let exclusions: [Path]

  /// Whether the name of a file or folder fits one of the patterns.
  func excludes(_ name: Path) -> Bool {
    exclusions.contains { pattern in
      unsafe pattern.withCString { pattern in
        unsafe name.withCString { unsafe fnmatch(pattern, $0, 0) == 0 }
      }
    }
  }
}
