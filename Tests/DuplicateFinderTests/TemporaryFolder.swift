import DuplicateFinder
import Foundation

/// A folder of a test's own, deleted with everything in it when it is dropped.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be deleted is left to the system.
    try? FileManager.default.removeItem(at: url)
  }

  var path: Path { self[""] }

  /// The path of `name` in the folder, which is the folder's own for an empty name.
  subscript(name: String) -> Path { Path(name.isEmpty ? url.path : url.path + "/" + name) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Creates or replaces a file, and the folders above it.
  func write(_ content: String, to names: String...) throws {
    for name in names { try write(Data(content.utf8), to: name) }
  }

  func write(_ content: Data, to name: String) throws {
    try FileManager.default.createDirectory(
      at: file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
    try content.write(to: file(name))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(at: file(name))
  }

  /// What is found in the folder: the names in each group, relative to it.
  func groups(includesEmptyFiles: Bool = false) -> [[String]] {
    names(DuplicateFinder(includesEmptyFiles: includesEmptyFiles).find(in: [path]))
  }

  func names(_ result: ScanResult) -> [[String]] {
    result.groups.map { $0.paths.map(name) }
  }

  func name(_ path: Path) -> String {
    path.description.replacingOccurrences(of: url.path + "/", with: "")
  }
}
