/// How one of the folders stands, at one moment.
struct FolderState: Sendable {
  enum Phase: String, Sendable, Encodable {
    case idle, running, finished, cancelled
  }

  var phase = Phase.idle
  /// What the last scan has found; nil before the first.
  var findings: Findings?
  /// How much that was at this moment: the findings of a scan that is running grow.
  var summary = Findings.Summary()
}
