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
    // Foundation cannot delete what has too long a path; what is left is left to the system.
    let removal = Process()
    removal.executableURL = URL(fileURLWithPath: "/bin/rm")
    removal.arguments = ["-rf", url.path]
    try? removal.run()
    removal.waitUntilExit()
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

  /// Creates folders so deep that the path of what is below is longer than the system takes, which
  /// makes it unreadable to everybody, root included.
  ///
  /// - Parameters:
  ///   - folders: Names of folders to create in the deepest one.
  ///   - files: Names of files, of five bytes each.
  /// - Throws: What the shell left behind that could not do it.
  func makeTooDeep(folders: [String] = [], files: [String] = []) throws {
    let level = String(repeating: "d", count: 200)
    // One less than fits with the "." in front, and nothing of 200 bytes fits behind it.
    let depth = (Int(PATH_MAX) - 2) / 201
    let script = """
      set -e
      for i in $(seq \(depth)); do mkdir \(level); cd -P \(level); done
      for f in \(folders.joined(separator: " ")); do mkdir $f; done
      for f in \(files.joined(separator: " ")); do printf 12345 > $f; done
      """
    let result = try Program(in: self, script: script).finish()
    if result != Outcome(code: 0, output: "", errors: "") { throw result }
  }
}
