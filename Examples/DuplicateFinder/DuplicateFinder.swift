public import SignalObserver
import Synchronization

/// Finds files with the same content.
///
/// Connect to its signals, and then call ``find(in:)`` on a queue, since a search takes time:
///
/// ```swift
/// let finder = DuplicateFinder()
/// finder.groupFound.connect(list, GroupList.add)
/// queue.async { finder.find(in: [Path("Pictures")]) }
/// ```
///
/// Two files are duplicates only if every byte is equal. The finder compares bytes; digests only choose
/// the files that are worth comparing. A file with several names is one file. Empty files are left out
/// by default. The finder follows no symbolic links below the folders, and opens no sockets, pipes and
/// devices. It keeps two files open at a time, and two blocks of them in memory.
public final class DuplicateFinder: Sendable {
  private let announcements = Announcements()
  private let stopFlag = StopFlag()
  private let selection: Selection

  /// Creates a finder.
  ///
  /// It begins to search when ``find(in:)`` is called.
  ///
  /// - Parameters:
  ///   - minimumSize: Smaller files are left out, and with 0 none is.
  ///   - exclusions: Patterns of a shell for names. Files and folders below those that are searched
  ///     are left out if the name of one fits.
  public init(minimumSize: Int = 1, excluding exclusions: [Path] = []) {
    selection = Selection(minimumSize: minimumSize, exclusions: exclusions)
  }

  /// Sends the number of settled files, and the number of all files.
  ///
  /// While folders are still being read, the first is 0, and the second grows.
  public var progressed: SignalArg2<Int, Int> { announcements.progress.signal }

  /// Sends each group when all files of its size have been compared.
  ///
  /// Groups come in the order of their size, the largest first, and then of their first path.
  public var groupFound: SignalArg<DuplicateGroup> { announcements.group.signal }

  /// Sends each file or folder that could not be read.
  ///
  /// The search goes on with the rest.
  public var fileUnreadable: SignalArg<UnreadableFile> { announcements.unreadable.signal }

  /// Sends the whole result, once, at the end of a search, also if it was stopped.
  ///
  /// Slots of one queue or actor get it after everything else of the search. A slot elsewhere may
  /// get it earlier, so it carries the complete result.
  public var finished: SignalArg<ScanResult> { announcements.finished.signal }

  /// Searches files and folders, and everything below them.
  ///
  /// It returns when the search has ended, and emits on the calling thread.
  ///
  /// - Complexity: Each file that shares its size with another is read once in part. Files that look
  ///   alike are read twice more if they are many, and once more if they are two.
  @discardableResult
  public func find(in roots: [Path]) -> ScanResult {
    let scan = Scan(announcements, stopFlag, selection)
    scan.run(roots)
    announcements.finished.invoke(scan.result)
    return scan.result
  }

  /// Ends a search in progress, and any later one, after the block that is being read.
  ///
  /// It may be called from any thread, and from slots.
  public func stop() {
    stopFlag.set()
  }
}

/// The right to announce what happens in a scan.
///
/// The finder shares it with its scans. Everyone else gets only the signals.
struct Announcements: Sendable {
  let progress = EmitterArg2<Int, Int>()
  let group = EmitterArg<DuplicateGroup>()
  let unreadable = EmitterArg<UnreadableFile>()
  let finished = EmitterArg<ScanResult>()
}

/// Lets any thread end a scan.
final class StopFlag: Sendable {
  /// The error that leaves a scan that was stopped.
  struct Stopped: Error {}

  private let isSet = Atomic(false)

  func set() {
    // Relaxed: the flag guards only itself, and the scan may see it a moment later.
    isSet.store(true, ordering: .relaxed)
  }

  func check() throws(Stopped) {
    if isSet.load(ordering: .relaxed) { throw Stopped() }
  }
}
