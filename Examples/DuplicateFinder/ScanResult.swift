/// What a scan has found when it ends.
public struct ScanResult: Sendable, Hashable {
  /// The groups in the order in which they were announced: large files first, then by name.
  public internal(set) var groups: [DuplicateGroup] = []
  /// What could not be read, in the order in which it was announced.
  public internal(set) var unreadable: [UnreadableFile] = []
  /// Whether the scan came to its end, rather than being stopped.
  public internal(set) var isComplete = true

  /// How many files could be deleted without losing anything.
  public var redundantFiles: Int { groups.reduce(0) { $0 + $1.redundantFiles } }
  /// The bytes that these take.
  public var redundantBytes: Int { groups.reduce(0) { $0 + $1.redundantBytes } }
}
