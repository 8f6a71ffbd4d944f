import DuplicateFinder

/// Names the files that could not be read.
@MainActor
final class Warnings {
  private let output: Output
  private var printedCount = 0

  init(_ output: Output) {
    self.output = output
  }

  func show(_ file: UnreadableFile) {
    printedCount += 1
    output.write("duplicates: \(file.path): \(file.reason)\n")
  }

  /// Names the files that had not arrived when the search ended.
  func showRest(_ result: ScanResult) {
    for file in result.unreadable.dropFirst(printedCount) { show(file) }
  }
}
