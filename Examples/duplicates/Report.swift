import DuplicateFinder

/// Prints the groups.
@MainActor
final class Report {
  private let output: Output
  private var printedCount = 0

  init(_ output: Output) {
    self.output = output
  }

  func show(_ group: DuplicateGroup) {
    printedCount += 1
    let files = group.paths.map { "  \($0)\n" }.joined()
    output.write("\(group.paths.count) files of \(ByteCount(group.size))\n\(files)\n")
  }

  /// Prints the groups that had not arrived when the search ended.
  func showRest(_ result: ScanResult) {
    for group in result.groups.dropFirst(printedCount) { show(group) }
  }
}
