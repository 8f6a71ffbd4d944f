import DuplicateFinder
import Foundation
import Hummingbird

/// Collects server-sent events until they are written.
struct EventBuffer {
  private var buffer = ByteBuffer()
  private let encoder = JSONEncoder()

  var count: Int { buffer.readableBytes }

  mutating func append(raw text: String) { buffer.writeString(text) }

  /// Appends an event whose data is `message` as JSON, which has no line breaks.
  mutating func append(_ name: String, _ message: some Encodable) throws {
    buffer.writeString("event: \(name)\ndata: ")
    buffer.writeBytes(try encoder.encode(message))
    buffer.writeString("\n\n")
  }

  mutating func take() -> ByteBuffer {
    defer { buffer = ByteBuffer() }
    return buffer
  }
}

// Paths are written as a person reads them: a file's name is bytes, and need not be text.

struct FoldersMessage: Encodable {
  /// Tells what this server says from what a server said that ran before.
  let run: String
  let names: [String]

  init(_ board: Board) {
    run = board.run
    names = board.folders.map(\.plainText)
  }
}

struct StateMessage: Encodable {
  let folder: Int
  let scan: Int
  let phase: FolderState.Phase
  let done: Int
  let total: Int
  let groups: Int
  let unreadable: Int
  let redundantFiles: Int
  let redundantBytes: Int

  init(_ folder: Int, _ state: FolderState) {
    self.folder = folder
    scan = state.findings?.scan ?? 0
    phase = state.phase
    done = state.summary.done
    total = state.summary.total
    groups = state.summary.groups
    unreadable = state.summary.unreadable
    redundantFiles = state.summary.redundantFiles
    redundantBytes = state.summary.redundantBytes
  }
}

struct GroupMessage: Encodable {
  let folder: Int
  let scan: Int
  let index: Int
  let size: Int
  let files: Int
  let paths: [String]

  init(_ folder: Int, _ findings: Findings, _ index: Int) {
    let group = findings.group(index)
    self.folder = folder
    scan = findings.scan
    self.index = index
    size = group.size
    files = group.paths.count
    paths = group.paths.prefix(Client.shownPaths).map(\.plainText)
  }
}

struct UnreadableMessage: Encodable {
  let folder: Int
  let scan: Int
  let index: Int
  let path: String
  let reason: String

  init(_ folder: Int, _ findings: Findings, _ index: Int) {
    let file = findings.unreadableFile(index)
    self.folder = folder
    scan = findings.scan
    self.index = index
    path = file.path.plainText
    reason = file.reason
  }
}
