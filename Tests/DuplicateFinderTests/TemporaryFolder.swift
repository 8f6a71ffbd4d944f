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
    // Foundation cannot delete what has too long a path; what is left is left to the system.
    let removal = Process()
    removal.executableURL = URL(fileURLWithPath: "/bin/rm")
    removal.arguments = ["-rf", url.path]
    try? removal.run()
    removal.waitUntilExit()
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

  /// Creates folders in one another, each with a name of 200 bytes, and a file in the last.
  ///
  /// - Returns: The names of the folders.
  func writeDeep(_ content: String, levels: Int, to name: String) throws -> [String] {
    let level = String(repeating: "d", count: 200)
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.currentDirectoryURL = url
    shell.arguments = [
      "-c",
      """
      set -e
      for i in $(seq \(levels)); do mkdir \(level); cd -P \(level); done
      printf %s '\(content)' > \(name)
      """,
    ]
    try shell.run()
    shell.waitUntilExit()
    return Array(repeating: level, count: levels)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(at: file(name))
  }

  /// What is found in the folder: the names in each group, relative to it.
  func groups(minimumSize: Int = 1, excluding exclusions: [Path] = []) -> [[String]] {
    names(DuplicateFinder(minimumSize: minimumSize, excluding: exclusions).find(in: [path]))
  }

  func names(_ result: ScanResult) -> [[String]] {
    result.groups.map { $0.paths.map(name) }
  }

  func name(_ path: Path) -> String {
    path.description.replacingOccurrences(of: url.path + "/", with: "")
  }
}

#if canImport(Glibc)
  import Glibc
#endif

/// A system call of a test's own preparations that failed.
struct PreparationError: Error {
  let code = errno
}

/// Creates a pipe that nobody writes to, and a socket, which is open until it is closed.
func makePipeAndSocket(_ pipe: Path, _ socketPath: Path) throws -> Int32 {
  if unsafe pipe.withCString({ unsafe mkfifo($0, 0o600) }) != 0 { throw PreparationError() }
  #if canImport(Darwin)
    let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
  #else
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  #endif
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
    unsafe bytes.copyBytes(from: socketPath.bytes.prefix(bytes.count - 1))
  }
  let size = socklen_t(MemoryLayout<sockaddr_un>.size)
  let result = unsafe withUnsafePointer(to: address) { address in
    unsafe bind(descriptor, UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self), size)
  }
  if result != 0 { throw PreparationError() }
  return descriptor
}
