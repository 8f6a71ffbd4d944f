/// Files whose bytes are all equal.
public struct DuplicateGroup: Sendable, Hashable {
  /// The bytes of each of the files.
  public let size: Int
  /// The files, two or more, in the order of their names' bytes.
  public let paths: [Path]

  /// How many of the files could be deleted without losing anything.
  public var redundantFiles: Int { paths.count - 1 }
  /// The bytes that these take.
  public var redundantBytes: Int { redundantFiles * size }
}
