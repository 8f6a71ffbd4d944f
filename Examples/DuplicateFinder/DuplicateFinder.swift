public import SignalObserver

/// Finds files with the same content.
///
/// Connect to its signals, then call ``find(in:)`` where it may take its time:
///
/// ```swift
/// let finder = DuplicateFinder()
/// finder.groupFound.connect(list, GroupList.add)
/// queue.async { finder.find(in: [Path("Pictures")]) }
/// ```
///
/// Two files are duplicates only if every byte is equal: bytes are compared, digests only choose
/// what is worth comparing. A file with several names is one file. Empty files are left out unless
/// asked for. Symbolic links below the folders are not followed; sockets, pipes and devices are not
/// opened. Two files are open at a time, and two blocks of them in memory.
public final class DuplicateFinder: Sendable {
  private let announcements = Announcements()
  private let stopFlag = StopFlag()
  private let includesEmptyFiles: Bool

  /// Creates a finder, which finds nothing before ``find(in:)`` is called.
  public init(includesEmptyFiles: Bool = false) {
    self.includesEmptyFiles = includesEmptyFiles
  }

  /// Sends how many files are done with, and how many there are.
  ///
  /// While folders are still being read, the first is 0 and the second grows.
  public var progressed: SignalArg2<Int, Int> { announcements.progress.signal }

  /// Sends each group when all files of its size have been compared.
  ///
  /// Groups come in the order of their size, the largest first, and then of their first path.
  public var groupFound: SignalArg<DuplicateGroup> { announcements.group.signal }

  /// Sends each file or folder that could not be read; the rest is still searched.
  public var fileUnreadable: SignalArg<UnreadableFile> { announcements.unreadable.signal }

  /// Sends everything found, once, at the end of a search, also if it was stopped.
  ///
  /// It comes last, but a slot on a queue may be called before that of another signal has caught
  /// up: the order of deliveries holds for each slot. Hence the result, which is complete.
  public var finished: SignalArg<ScanResult> { announcements.finished.signal }

  /// Searches files and folders, and everything below them.
  ///
  /// Returns when the search has ended. Emits on the calling thread.
  ///
  /// - Complexity: Each file that shares its size with another is read once in part. Those that
  ///   look alike are read twice more if they are many, and once if they are two.
  @discardableResult
  public func find(in roots: [Path]) -> ScanResult {
    let scan = Scan(announcements, stopFlag, includesEmptyFiles: includesEmptyFiles)
    scan.run(roots)
    announcements.finished.invoke(scan.result)
    return scan.result
  }

  /// Ends a search in progress, and any later one, after the block that is being read.
  ///
  /// May be called from any thread and from slots.
  public func stop() {
    stopFlag.set()
  }
}
