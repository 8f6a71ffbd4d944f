import DuplicateFinder
import Foundation
import SignalObserver
import Testing

@Suite struct SignalTests {
  /// Writes down what a finder announces, at once.
  private final class Log {
    let folder: TemporaryFolder
    private(set) var lines: [String] = []

    init(_ folder: TemporaryFolder) { self.folder = folder }

    func follow(_ finder: DuplicateFinder) {
      finder.progressed.connect(self, Log.progressed, .inline)
      finder.groupFound.connect(self, Log.found, .inline)
      finder.fileUnreadable.connect(self, Log.failed, .inline)
      finder.finished.connect(self, Log.finished, .inline)
    }

    private func progressed(_ done: Int, _ total: Int) { lines.append("\(done)/\(total)") }
    private func found(_ group: DuplicateGroup) {
      lines.append("\(group.size): " + group.paths.map(folder.name).joined(separator: " "))
    }
    private func failed(_ file: UnreadableFile) { lines.append("! \(folder.name(file.path))") }
    private func finished(_ result: ScanResult) {
      lines.append("\(result.groups.count) \(result.unreadable.count) \(result.isComplete)")
    }
  }

  @Test func `a search announces what happens in order`() throws {
    let folder = try TemporaryFolder()
    try folder.write("unique", to: "u")
    try folder.write("four", to: "a", "b")
    try folder.write("five", to: "c")
    try folder.write("six", to: "d", "e")
    let finder = DuplicateFinder()
    let log = Log(folder)
    log.follow(finder)

    finder.find(in: [folder["none"], folder.path])

    #expect(
      log.lines == [
        "! none", "0/6", "1/6", "2/6", "4/6", "4: a b", "6/6", "3: d e", "2 1 true",
      ])
  }

  @Test func `a stopped search ends with what it has found`() throws {
    let folder = try TemporaryFolder()
    try folder.write("four", to: "a", "b")
    try folder.write("six", to: "c", "d")
    let finder = DuplicateFinder()
    let log = Log(folder)
    log.follow(finder)
    finder.groupFound.connect(finder, DuplicateFinder.stop, .inline)

    let result = finder.find(in: [folder.path])

    #expect(log.lines == ["0/4", "2/4", "4: a b", "1 0 false"])
    #expect(folder.names(result) == [["a", "b"]])
  }

  @Test func `a finder stopped before it begins finds nothing`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b")
    let finder = DuplicateFinder()

    finder.stop()
    let result = finder.find(in: [folder.path])

    #expect(result.groups == [])
    #expect(!result.isComplete)
  }

  @Test func `redundant are all files of a group but one`() throws {
    let folder = try TemporaryFolder()
    try folder.write("four", to: "a", "b", "c")
    try folder.write("12345", to: "d", "e")

    let result = DuplicateFinder().find(in: [folder.path])

    #expect(result.groups.map(\.redundantBytes) == [5, 8])
    #expect(result.redundantFiles == 3)
    #expect(result.redundantBytes == 13)
  }
}
