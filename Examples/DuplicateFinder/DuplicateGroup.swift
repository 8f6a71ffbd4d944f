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
