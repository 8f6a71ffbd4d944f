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
