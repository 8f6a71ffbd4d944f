import SignalObserver

/// One search from beginning to end: the walk, then the files of each size.
///
/// A file is settled when it is in a group, is known to have no duplicates, or cannot be read.
final class Scan {
  /// The number of bytes to read of every file that shares its size with another.
  private static let firstBytes = 4096

  private(set) var result = ScanResult()

  private let announcements: Announcements
  private let stopFlag: StopFlag
  private var walk: FolderWalk
  private var reader: ContentReader
  private var settledCount = 0

  init(_ announcements: Announcements, _ stopFlag: StopFlag, _ selection: Selection) {
    self.announcements = announcements
    self.stopFlag = stopFlag
    walk = FolderWalk(selection)
    reader = ContentReader(stopFlag)
  }

  func run(_ roots: [Path]) {
    do {
      try findFiles(roots)
      for files in filesBySize() { try findGroups(files) }
    } catch {
      // Only the stop flag ends a scan early: files that cannot be read have been announced.
      result.isComplete = false
    }
  }

  // MARK: - Finding files

  private func findFiles(_ roots: [Path]) throws {
    for root in roots {
      do { try walk.enter(root) } catch { announce(error) }
      while !walk.isFinished {
        do {
          try walk.readNextFolder(stopFlag, announce)
        } catch let failure as UnreadableFile {
          announce(failure)
        }
        announceProgress()
      }
    }
  }

  /// Returns the files that share their size with others, the largest first.
  private func filesBySize() -> [[FoundFile]] {
    let classes = severalOnly(Dictionary(grouping: walk.files, by: \.size), of: walk.files.count)
    return classes.sorted { $0[0].size > $1[0].size }
  }

  // MARK: - Comparing files

  /// Announces the groups among files of one size; if the scan is stopped, those found so far.
  private func findGroups(_ files: [FoundFile]) throws {
    var groups: [DuplicateGroup] = []
    defer { announce(groups) }
    for candidates in try similarFiles(files) {
      for equal in try equalFiles(candidates) {
        groups.append(DuplicateGroup(size: equal[0].size, paths: equal.map(\.path).sorted()))
      }
      settle(candidates.count)
    }
  }

  /// Separates files of one size by digests, which are likely to tell them apart.
  private func similarFiles(_ files: [FoundFile]) throws -> [[FoundFile]] {
    let size = files[0].size
    if size == 0 { return [files] }
    let classes = try separate(files, length: min(size, Self.firstBytes))
    if size <= Self.firstBytes { return classes }
    // Two files are compared at once. Of more files, each is first read once. If all begin alike and
    // end differently, each would otherwise have to be compared with each.
    return try classes.flatMap { try $0.count > 2 ? separate($0, length: size) : [$0] }
  }

  /// Separates files by the digest of their first `length` bytes.
  private func separate(_ files: [FoundFile], length: Int) throws -> [[FoundFile]] {
    var classes: [Int: [FoundFile]] = [:]
    for file in files {
      do {
        classes[try reader.digest(of: file, length: length), default: []].append(file)
      } catch let failure as UnreadableFile {
        announce(failure)
      }
    }
    return severalOnly(classes, of: files.count)
  }

  /// Separates files by comparing their bytes.
  ///
  /// If the reference cannot be read to its end, the others are compared with another file.
  private func equalFiles(_ files: [FoundFile]) throws -> [[FoundFile]] {
    if files[0].size == 0 { return [files] }
    var groups: [[FoundFile]] = []
    var rest = files
    while let reference = rest.popLast() {
      var equal: [FoundFile] = []
      var different: [FoundFile] = []
      do {
        let opened = try OpenFile(reference)
        while let file = rest.last {
          do {
            if try reader.isEqual(file, to: opened) {
              equal.append(file)
            } else {
              different.append(file)
            }
          } catch let failure as UnreadableFile where failure.path == file.path {
            announce(failure)
          }
          rest.removeLast()
        }
        if !equal.isEmpty { groups.append([reference] + equal) }
        rest = different
      } catch let failure as UnreadableFile {
        announce(failure)
        rest += equal + different
      }
    }
    return groups
  }

  /// Returns the classes with several files.
  ///
  /// The rest of the `count` files are settled.
  private func severalOnly(_ classes: [Int: [FoundFile]], of count: Int) -> [[FoundFile]] {
    let several = classes.values.filter { $0.count > 1 }
    settle(count - several.reduce(0) { $0 + $1.count })
    return several
  }

  // MARK: - Announcing

  private func settle(_ count: Int) {
    if count == 0 { return }
    settledCount += count
    announceProgress()
  }

  private func announceProgress() {
    announcements.progress.invoke(settledCount, walk.files.count)
  }

  private func announce(_ groups: [DuplicateGroup]) {
    for group in groups.sorted(by: { $0.paths[0] < $1.paths[0] }) {
      result.groups.append(group)
      announcements.group.invoke(group)
    }
  }

  private func announce(_ failure: UnreadableFile) {
    result.unreadable.append(failure)
    announcements.unreadable.invoke(failure)
  }
}
