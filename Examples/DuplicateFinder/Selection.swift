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
