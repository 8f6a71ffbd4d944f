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

/// Prints the totals.
@MainActor
final class TotalsLine {
  private let output: Output

  init(_ output: Output) {
    self.output = output
  }

  func show(_ totals: Totals) {
    output.write("\(totals)\n")
  }
}

/// A number of bytes in a form for people.
struct ByteCount: CustomStringConvertible {
  private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]

  let bytes: Int

  init(_ bytes: Int) {
    self.bytes = bytes
  }

  /// The exact number, with the rounded one in front where that is shorter: `1.2 MB (1234567 bytes)`.
  var description: String {
    let exact = bytes == 1 ? "1 byte" : "\(bytes) bytes"
    return bytes < 1000 ? exact : "\(rounded) (\(exact))"
  }

  private var rounded: String {
    // In tenths of a unit, so that no formatter is needed.
    var tenths = (bytes + 50) / 100
    var unit = 0
    while tenths >= 10_000 {
      tenths = (tenths + 500) / 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(Self.units[unit])"
  }
}
