import Foundation

/// A folder in which the program runs, deleted when it is dropped.
///
/// Names in the program's output are relative to it.
final class Sandbox {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be deleted is left to the system.
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  func write(_ content: String, to names: String...) throws {
    for name in names {
      try FileManager.default.createDirectory(
        at: file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(content.utf8).write(to: file(name))
    }
  }

  /// Creates a file that looks as large as it is said to be and takes no room on the disk.
  func writeHole(of size: UInt64, to name: String) throws {
    try write("", to: name)
    let handle = try FileHandle(forWritingTo: file(name))
    try handle.truncate(atOffset: size)
    try handle.close()
  }

  /// Creates a symbolic link to itself, which nobody can follow, root included.
  func makeLoop(_ name: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: file(name).path, withDestinationPath: name)
  }
}
