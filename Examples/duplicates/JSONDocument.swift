import DuplicateFinder
import Foundation

/// The document that `--json` writes.
struct JSONDocument: Encodable {
  struct Name: Encodable {
    /// The name as text, or as in the report if it is not valid UTF-8.
    let path: String
    /// The exact bytes of a name that is not valid UTF-8; JSON cannot write such a name as text.
    let base64: Data?

    init(_ path: Path) {
      self.path = path.plainText
      base64 = path.text == nil ? Data(path.bytes) : nil
    }
  }

  struct Group: Encodable {
    let size: Int
    let files: [Name]
  }

  struct Failure: Encodable {
    let file: Name
    let reason: String
  }

  let groups: [Group]
  let unreadable: [Failure]
  let redundantFiles: Int
  let redundantBytes: Int
  /// False if the search was stopped.
  let complete: Bool

  init(_ result: ScanResult) {
    groups = result.groups.map { Group(size: $0.size, files: $0.paths.map(Name.init)) }
    unreadable = result.unreadable.sorted { $0.path < $1.path }
      .map { Failure(file: Name($0.path), reason: $0.reason) }
    redundantFiles = result.redundantFiles
    redundantBytes = result.redundantBytes
    complete = result.isComplete
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}
