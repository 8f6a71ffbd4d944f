#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The name of a file as the system knows it: bytes, which need not be text.
public struct Path: Sendable, Hashable {
  /// What system calls are given: the bytes and a zero.
  private let terminated: [UInt8]

  /// The bytes of the name.
  public var bytes: ArraySlice<UInt8> { terminated.dropLast() }

  /// Creates a path from text.
  public init(_ text: String) {
    terminated = Array(text.utf8) + [0]
  }

  /// Creates a path from C's form, a copy.
  public init(cString: UnsafePointer<CChar>) {
    terminated = unsafe Array(UnsafeRawBufferPointer(start: cString, count: strlen(cString) + 1))
  }

  /// Creates a path from bytes, of which none is zero.
  public init(bytes: some Sequence<UInt8>) {
    terminated = Array(bytes) + [0]
  }

  /// Returns the path of `name` in this folder.
  func appending(_ name: Path) -> Path {
    let slash = UInt8(ascii: "/")
    return Path(terminated: Array(bytes) + (bytes.last == slash ? [] : [slash]) + name.terminated)
  }

  private init(terminated: [UInt8]) {
    self.terminated = terminated
  }

  /// Calls `body` with the path as C has it.
  public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows
    -> Result
  {
    try unsafe terminated.withUnsafeBytes { bytes in
      // Never empty, since the zero is there, and `CChar` is a byte.
      try unsafe body(bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
    }
  }
}

extension Path: Comparable {
  /// Orders paths by their bytes, which is the same order everywhere.
  public static func < (left: Path, right: Path) -> Bool {
    unsafe left.withCString { left in unsafe right.withCString { unsafe strcmp(left, $0) < 0 } }
  }
}

extension Path {
  /// Whether something of this name is there, readable or not.
  ///
  /// A symbolic link counts if what it leads to does.
  public var exists: Bool {
    var status = stat()
    let found = unsafe withCString { unsafe stat($0, &status) } == 0
    return found || (errno != ENOENT && errno != ENOTDIR)
  }
}
