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
    return isFollowed(to: &status) || (errno != ENOENT && errno != ENOTDIR)
  }

  /// Finds out what is there: of a symbolic link, what it leads to.
  ///
  /// Returns whether it could, or leaves the reason in `errno`.
  func isFollowed(to status: inout stat) -> Bool {
    unsafe withOpenParent { unsafe fstatat($0, $1, &status, 0) } == 0
  }

  /// Opens what is there, or returns a negative number and leaves the reason in `errno`.
  func open(_ flags: Int32) -> Int32 {
    unsafe withOpenParent { unsafe openat($0, $1, flags | O_CLOEXEC) }
  }

  /// Calls `body` with a path that is short enough for the system, and the folder that it begins at.
  ///
  /// A path may be longer than a system call takes, since folders can be made from inside of others. It
  /// is then followed in parts, of which each is found in the folder that the one before has led to.
  /// Returns what `body` does, or a negative number if a part leads nowhere.
  private func withOpenParent(_ body: (Int32, UnsafePointer<CChar>) -> Int32) -> Int32 {
    let slash = UInt8(ascii: "/")
    var folder = AT_FDCWD
    defer {
      // The reason of a failure outlasts it.
      let reason = errno
      if folder != AT_FDCWD { close(folder) }
      errno = reason
    }
    var rest = bytes
    while rest.count >= Int(PATH_MAX), let end = rest.prefix(Int(PATH_MAX) - 1).lastIndex(of: slash)
    {
      let part = Path(bytes: rest[...end])
      let next = unsafe part.withCString {
        unsafe openat(folder, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      }
      if next < 0 { return next }
      if folder != AT_FDCWD { close(folder) }
      folder = next
      rest = rest[(end + 1)...].drop { $0 == slash }
    }
    if rest.isEmpty { rest = Path(".").bytes }
    return unsafe Path(bytes: rest).withCString { unsafe body(folder, $0) }
  }
}

extension Path: CustomStringConvertible {
  /// The path as text that fits a line.
  ///
  /// A path that is not valid UTF-8, or contains characters that control the terminal or the direction
  /// of text, is written as `$'caf\xe9'`, which a shell reads back.
  public var description: String {
    if bytes.isEmpty { return "''" }
    guard let text else { return quoted }
    return text.unicodeScalars.contains(where: Self.isControl) ? quoted : text
  }

  /// The path as text, or nil if it is not valid UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The path as text, or its description if it is not valid UTF-8.
  ///
  /// A program that shows it decides for itself how it shows control characters.
  public var plainText: String { text ?? description }

  private var quoted: String {
    var result = "$'"
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    var position = bytes.startIndex
    while true {
      switch decoder.decode(&rest) {
      case .emptyInput: return result + "'"
      case .error:
        // One error of the decoder may cover several bytes: show the first, and go on after it.
        result += Self.escaped(bytes[position])
        position += 1
        decoder = UTF8()
        rest = bytes[position...].makeIterator()
      case .scalarValue(let scalar):
        result += Self.escaped(scalar)
        position += UTF8.width(scalar)
      }
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
    if isControl(scalar) { return String(scalar).utf8.map(escaped).joined() }
    return String(scalar)
  }

  private static func escaped(_ byte: UInt8) -> String {
    "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
  }
}

extension CommandLine {
  /// The arguments as bytes, without the name of the command.
  ///
  /// `arguments` repairs bytes that are not valid UTF-8, and no file has the repaired name.
  public static var paths: [Path] {
    // The vector has `argc` strings, which live as long as the process.
    unsafe UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).dropFirst().compactMap {
      unsafe $0.map { unsafe Path(cString: $0) }
    }
  }
}
