import DuplicateFinder

/// Prints the groups.
@MainActor
final class Report {
  enum Format {
    /// Lines for people.
    case lines
    /// For programs: the bytes of each name and a zero, and another zero behind each group.
    case zeros
  }

  private let output: Output
  private let format: Format
  private var printedCount = 0

  init(_ output: Output, _ format: Format) {
    self.output = output
    self.format = format
  }

  func show(_ group: DuplicateGroup) {
    printedCount += 1
    switch format {
    case .lines:
      let files = group.paths.map { "  \($0)\n" }.joined()
      output.write("\(group.paths.count) files of \(ByteCount(group.size))\n\(files)\n")
    case .zeros:
      output.write(bytes: group.paths.flatMap { $0.bytes + [0] } + [0])
    }
  }

  /// Prints the groups that had not arrived when the search ended.
  func showRest(_ result: ScanResult) {
    for group in result.groups.dropFirst(printedCount) { show(group) }
  }
}

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
