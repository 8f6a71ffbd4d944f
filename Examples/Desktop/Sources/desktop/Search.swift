import Dispatch
import DuplicateFinder
import SignalObserver

/// Scans one folder at a time, and knows nothing of windows.
@MainActor final class Search {
  enum State: String {
    case idle = "Choose a folder."
    case running = "Searching…"
    case finished = "Finished."
    case cancelled = "Cancelled."
  }

  @EmitterValue private(set) var state = State.idle
  @EmitterValue private(set) var progress = 0.0
  @EmitterValue private(set) var totals = (groups: 0, bytes: 0)
  /// Sends when a scan begins: what was found before is no longer of interest.
  @EmitterVoid var began
  @EmitterArg<DuplicateGroup> var groupFound
  private let scanner = Scanner()
  private var finder: DuplicateFinder?
  /// What is connected to the finder.
  private let connections = ObserverBag()

  /// Scans a folder, in place of the one before.
  func start(_ folder: Path) {
    finder?.stop()
    // Nothing that waits of an earlier scan is delivered after this.
    connections.cancelAll()
    (state, progress, totals) = (.running, 0, (0, 0))
    _began.invoke()

    let finder = DuplicateFinder()
    self.finder = finder
    // The newest is enough, however many files there are.
    finder.progressed.map { done, all in Double(done) / Double(max(all, 1)) }
      .buffering(.newest(1)).bind(to: \.progress, of: self).store(in: connections)
    finder.groupFound.connect(self, Search.add).store(in: connections)
    finder.finished.connect(self, Search.end).store(in: connections)
    Task { [scanner] in await scanner.scan(folder, finder) }
  }

  /// Ends the scan, and keeps what it has found.
  func cancel() { finder?.stop() }
  deinit { finder?.stop() }

  private func add(_ group: DuplicateGroup) {
    totals.groups += 1
    totals.bytes += group.redundantBytes
    _groupFound.invoke(group)
  }

  private func end(_ result: ScanResult) {
    state = result.isComplete ? .finished : .cancelled
    finder = nil
  }
}

/// Where scans run. One begins when the one before has ended.
actor Scanner {
  func scan(_ folder: Path, _ finder: DuplicateFinder) { finder.find(in: [folder]) }

  // A scan keeps its thread for as long as it takes, and the threads that Swift's actors share are
  // as few as the processors. So this actor has a queue of its own.
  private let queue = ScanQueue()
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
}

private final class ScanQueue: SerialExecutor {
  private let queue = DispatchQueue(label: "scans")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
