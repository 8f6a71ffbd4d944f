import DuplicateFinder
import Synchronization

/// What one scan has found so far: written by the scan, read by every client.
///
/// It only grows, so that a client needs no more than the number of those that it has had.
final class Findings: Sendable {
  /// How many there are, and how far the scan is, at one moment.
  struct Summary: Sendable, Equatable {
    var done = 0
    var total = 0
    var groups = 0
    var unreadable = 0
    var redundantFiles = 0
    var redundantBytes = 0
  }

  private struct Contents {
    var summary = Summary()
    var groups: [DuplicateGroup] = []
    var unreadable: [UnreadableFile] = []
  }

  /// Tells the scans of a folder from each other: 1, 2, and so on.
  let scan: Int
  private let contents = Mutex(Contents())

  init(scan: Int) {
    self.scan = scan
  }

  var summary: Summary { contents.withLock { $0.summary } }

  // MARK: - Slots of the finder's signals

  func progress(done: Int, total: Int) {
    contents.withLock {
      $0.summary.done = done
      $0.summary.total = total
    }
  }

  func add(_ group: DuplicateGroup) {
    contents.withLock {
      $0.groups.append(group)
      $0.summary.groups += 1
      $0.summary.redundantFiles += group.redundantFiles
      $0.summary.redundantBytes += group.redundantBytes
    }
  }

  func add(_ file: UnreadableFile) {
    contents.withLock {
      $0.unreadable.append(file)
      $0.summary.unreadable += 1
    }
  }

  // MARK: - Reading

  func group(_ index: Int) -> DuplicateGroup { contents.withLock { $0.groups[index] } }

  func unreadableFile(_ index: Int) -> UnreadableFile {
    contents.withLock { $0.unreadable[index] }
  }
}
