import Dispatch
public import DuplicateFinder
import SignalObserver
import Synchronization

/// Scans folders, each with a finder of its own, and tells everybody how they stand.
///
/// It knows nothing of browsers: whoever connects to ``states`` is told.
public final class Board: Sendable {
  private struct Running {
    var finders: [Int: DuplicateFinder] = [:]
    var scans: [Int]
    var activities = 0
    var isClosed = false
  }

  /// The folders and files that can be scanned, and nothing else can.
  public let folders: [Path]
  /// Tells the scans of this board from those of another one.
  let run = String(UInt64.random(in: 0 ... .max), radix: 36)

  private let allStates: EmitterValue<[FolderState]>
  private let activity = EmitterArg<Activity>()
  private let recent: SignalReplay<Activity>
  private let running: Mutex<Running>
  private let interval: Duration

  /// Creates a board on which no scan has begun.
  ///
  /// - Parameters:
  ///   - folders: What can be scanned.
  ///   - interval: The least time between two progress messages of a folder.
  public init(_ folders: [Path], interval: Duration = .milliseconds(100)) {
    self.folders = folders
    self.interval = interval
    allStates = EmitterValue(folders.map { _ in FolderState() })
    recent = activity.signal.replay(20)
    running = Mutex(Running(scans: folders.map { _ in 0 }))
  }

  /// How the folders stand, in their order: now, and whenever that changes.
  var states: SignalValue<[FolderState]> { allStates.signal }

  /// Which scans have begun and ended: the last ones, and every further one.
  var activities: SignalReplay<Activity> { recent }

  /// How many slots are connected to what the board sends, those of running finders included.
  var slotCount: Int {
    let finders = running.withLock { Array($0.finders.values) }
    return states.slotCount + activity.signal.slotCount
      + finders.reduce(0) {
        $0 + $1.progressed.slotCount + $1.groupFound.slotCount + $1.fileUnreadable.slotCount
          + $1.finished.slotCount
      }
  }

  var runningCount: Int { running.withLock { $0.finders.count } }

  // MARK: - Scanning

  /// Begins to scan a folder, unless that is going on, or the board is closed.
  ///
  /// - Returns: Whether a scan has begun.
  @discardableResult
  func start(_ folder: Int) -> Bool {
    let finder = DuplicateFinder()
    let scan: Int? = running.withLock { running in
      if running.isClosed || running.finders[folder] != nil { return nil }
      running.finders[folder] = finder
      running.scans[folder] += 1
      return running.scans[folder]
    }
    guard let scan else { return false }
    let findings = Findings(scan: scan)

    // On the thread of the scan. The findings are first: what is told of is there.
    finder.progressed.connect(findings, Findings.progress, .inline)
    finder.groupFound.connect(findings, Findings.add(_:), .inline)
    finder.fileUnreadable.connect(findings, Findings.add(_:), .inline)
    merge(
      finder.progressed.map { _, _ in () }, finder.groupFound.map { _ in () },
      finder.fileUnreadable.map { _ in () }
    )
    .throttle(for: interval)
    .connect(self, on: .inline) { board, _ in board.update(folder, findings) }

    change(folder) { $0 = FolderState(phase: .running, findings: findings) }
    tell(folder, "scan \(scan) has begun")
    // A queue of its own, since a scan takes its time.
    DispatchQueue(label: "scan of folder \(folder)").async { [self] in
      let result = finder.find(in: [folders[folder]])
      end(folder, findings, result)
    }
    return true
  }

  /// Ends the scan of a folder, if one is going on.
  ///
  /// - Returns: Whether there is one.
  @discardableResult
  func cancel(_ folder: Int) -> Bool {
    let finder = running.withLock { $0.finders[folder] }
    finder?.stop()
    return finder != nil
  }

  /// Ends all scans, begins none any more, and returns when the last has ended.
  func close() async {
    let finders = running.withLock { running in
      running.isClosed = true
      return Array(running.finders.values)
    }
    for finder in finders { finder.stop() }
    // Both: a scan that begins is counted before its state says so, and one that ends is counted until
    // just before.
    _ = await states.filter { [self] states in
      runningCount == 0 && !states.contains { $0.phase == .running }
    }.next()
  }

  /// Ends what clients are told, once they have been told what there is.
  func closeStreams() {
    allStates.cancelAllObservers()
    activity.cancelAllObservers()
  }

  /// Tells how the folders stand once more, for those that do not know whether anybody is there.
  func repeatStates() { allStates.invoke() }

  private func end(_ folder: Int, _ findings: Findings, _ result: ScanResult) {
    // Before the state, which says that another scan can begin.
    running.withLock { $0.finders[folder] = nil }
    change(folder) { state in
      // Another scan may have begun since.
      guard state.findings === findings else { return }
      state.phase = result.isComplete ? .finished : .cancelled
      state.summary = findings.summary
    }
    let groups = result.groups.count
    tell(
      folder,
      "scan \(findings.scan) "
        + (result.isComplete ? "has finished" : "was cancelled")
        + ", \(groups) \(groups == 1 ? "group" : "groups")")
  }

  private func tell(_ folder: Int, _ text: String) {
    let number = running.withLock { running in
      running.activities += 1
      return running.activities
    }
    activity.invoke(Activity(number: number, folder: folder, text: text))
  }

  private func update(_ folder: Int, _ findings: Findings) {
    change(folder) { state in
      if state.findings === findings { state.summary = findings.summary }
    }
  }

  /// Changes one folder's state, and tells of it.
  private func change(_ folder: Int, _ change: (inout FolderState) -> Void) {
    allStates.modify { change(&$0[folder]) }
  }
}
