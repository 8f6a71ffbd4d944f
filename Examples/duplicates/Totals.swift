import DuplicateFinder

/// The totals of a search.
struct Totals: Sendable, CustomStringConvertible {
  private let groups: Int
  private let redundantFiles: Int
  private let redundantBytes: Int
  private let unreadable: Int
  private let isComplete: Bool

  init(_ result: ScanResult) {
    groups = result.groups.count
    redundantFiles = result.redundantFiles
    redundantBytes = result.redundantBytes
    unreadable = result.unreadable.count
    isComplete = result.isComplete
  }

  var description: String {
    let found =
      groups == 0
      ? "No duplicates found."
      : "\(count(groups, "group")), \(count(redundantFiles, "redundant file")): "
        + "\(ByteCount(redundantBytes)) could be freed."
    return found
      + (unreadable == 0
        ? "" : " \(count(unreadable, "file or folder", "files or folders")) could not be read.")
      + (isComplete ? "" : " Stopped early: there may be more.")
  }

  private func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(number) " + (number == 1 ? singular : plural ?? singular + "s")
  }
}
