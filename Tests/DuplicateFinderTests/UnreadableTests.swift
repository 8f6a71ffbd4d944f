import DuplicateFinder
import Foundation
import SignalObserver
import Testing

@Suite struct UnreadableTests {
  /// Searches `folder`, and does something to it when `done` of `total` files are done with.
  private func find(
    _ folder: TemporaryFolder, at done: Int, of total: Int,
    _ interfere: @escaping @Sendable () throws -> Void
  ) -> ScanResult {
    let finder = DuplicateFinder()
    finder.progressed.connect(on: .inline) { progress in
      if progress == (done, total) { #expect(throws: Never.self) { try interfere() } }
    }
    return finder.find(in: [folder.path])
  }

  private func reasons(_ result: ScanResult, _ folder: TemporaryFolder) -> [String] {
    result.unreadable.map { "\(folder.name($0.path)): \($0.reason)" }
  }

  @Test func `a file that is gone is announced and the others are compared`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b", "c")
    let gone = folder.file("b")

    let result = find(folder, at: 0, of: 3) { try FileManager.default.removeItem(at: gone) }

    #expect(folder.names(result) == [["a", "c"]])
    #expect(reasons(result, folder) == ["b: No such file or directory"])
    #expect(result.isComplete)
  }

  @Test(arguments: ["a", "b", "c"])
  func `a file that is gone before it is compared is announced once`(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b", "c")
    try folder.write("else", to: "d")
    let gone = folder.file(name)

    // One is done with when first bytes have told `d` apart.
    let result = find(folder, at: 1, of: 4) { try FileManager.default.removeItem(at: gone) }

    #expect(folder.names(result) == [["a", "b", "c"].filter { $0 != name }])
    #expect(reasons(result, folder) == ["\(name): No such file or directory"])
  }

  @Test func `a file that has another length by now is announced`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b", "c")
    let changed = folder.file("c")

    let result = find(folder, at: 0, of: 3) {
      let file = try FileHandle(forWritingTo: changed)
      try file.truncate(atOffset: 2)
      try file.close()
    }

    #expect(folder.names(result) == [["a", "b"]])
    #expect(reasons(result, folder) == ["c: Changed during the scan"])
  }

  @Test func `a pipe in the place of a file is not waited for`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b", "c")
    let (file, path) = (folder.file("c"), folder["c"])

    let result = find(folder, at: 0, of: 3) {
      try FileManager.default.removeItem(at: file)
      if unsafe path.withCString({ unsafe mkfifo($0, 0o600) }) != 0 { throw PreparationError() }
    }

    #expect(folder.names(result) == [["a", "b"]])
    #expect(reasons(result, folder) == ["c: Changed during the scan"])
  }

  @Test func `a place that does not exist is announced and the others are searched`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b")

    let result = DuplicateFinder().find(in: [folder["none"], folder.path])

    #expect(folder.names(result) == [["a", "b"]])
    #expect(reasons(result, folder) == ["none: No such file or directory"])
  }
}
