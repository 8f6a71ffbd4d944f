import Dispatch
import DuplicateFinder
import SignalObserver

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One run of the program: the connections, and the end.
///
///     ready           Program.search       when Ctrl-C is watched
///     progressed      ProgressBar.show     each on the main queue, until the search ends
///     groupFound      Report.show
///     fileUnreadable  Warnings.show
///     finished        Program.stopFollowing, then everybody's last words, then Program.finish;
///                     JSONWriter.write on a queue of its own
@MainActor
final class Program {
  private let paths: [Path]
  private let finder: DuplicateFinder
  private let json: JSONWriter?
  private let standardOutput = Output(STDOUT_FILENO)
  private let standardError = Output(STDERR_FILENO)
  private let report: Report
  private let warnings: Warnings
  private let totals: TotalsLine?
  /// The bar has an output of its own, because it gives way to all others.
  private let bar = ProgressBar(Output(STDERR_FILENO))
  private let interrupts = Interrupts()
  /// The connections that last as long as the search.
  private let observers = ObserverBag()
  private let queue = DispatchQueue(label: "duplicates.search", qos: .userInitiated)

  private var result: ScanResult?
  private var isInterrupted = false
  private var isJSONDone: Bool
  private var jsonError: SystemError?
  private var outputError: SystemError?

  init(_ options: Options, json: JSONWriter?) {
    finder = DuplicateFinder(minimumSize: options.minimumSize, excluding: options.exclusions)
    paths = options.paths
    self.json = json
    isJSONDone = json == nil
    report = Report(standardOutput, options.format)
    warnings = Warnings(standardError)
    totals = options.format == .lines ? TotalsLine(standardOutput) : nil
  }

  /// Begins as soon as the main queue runs.
  ///
  /// The program exits when everything is reported.
  func start() {
    interrupts.ready.connect(self, Program.search)
    interrupts.received.connect(self, Program.interrupt)
    standardOutput.failed.connect(self, Program.outputFailed)
    followSearch()
    followEnd()
  }

  // MARK: - Connections

  private func followSearch() {
    if standardError.isTerminal {
      bar.follow(finder, givingWayTo: [standardOutput, standardError]).store(in: observers)
    }
    finder.groupFound.connect(report, Report.show).store(in: observers)
    finder.fileUnreadable.connect(warnings, Warnings.show).store(in: observers)
  }

  private func followEnd() {
    finder.finished.connect(self, Program.stopFollowing)
    finder.finished.connect(bar, ProgressBar.suspend)
    finder.finished.connect(report, Report.showRest)
    finder.finished.connect(warnings, Warnings.showRest)
    if let totals { finder.finished.map(totals, TotalsLine.show, Totals.init) }
    finder.finished.connect(self, Program.finish)
    if let json {
      finder.finished.connect(json, JSONWriter.write, json.queue)
      json.written.connect(self, Program.jsonWritten)
    }
  }

  // MARK: - Slots

  private func search() {
    queue.async { [finder, paths] in finder.find(in: paths) }
  }

  /// Ends the search.
  ///
  /// Its result, with everything that was found, arrives next.
  ///
  /// A second Ctrl-C does not wait for the result, because a disk may be slow.
  private func interrupt() {
    if isInterrupted { exit(.interrupted) }
    isInterrupted = true
    finder.stop()
    stopFollowing()
  }

  /// The report cannot be written any more.
  ///
  /// The JSON file may still be wanted.
  private func outputFailed(_ error: SystemError) {
    outputError = error
    if !error.isBrokenPipe { standardError.write("duplicates: standard output: \(error)\n") }
    if json == nil { finder.stop() }
  }

  private func stopFollowing() {
    observers.cancelAll()
  }

  private func finish(_ result: ScanResult) {
    self.result = result
    exitWhenDone()
  }

  private func jsonWritten(_ error: SystemError?) {
    if let error, let json { standardError.write("duplicates: \(json.file): \(error)\n") }
    jsonError = error
    isJSONDone = true
    exitWhenDone()
  }

  // MARK: - The end

  private func exitWhenDone() {
    guard let result, isJSONDone else { return }
    exit(exitCode(result))
  }

  private func exitCode(_ result: ScanResult) -> ExitCode {
    if isInterrupted { return .interrupted }
    if jsonError != nil { return .cannotWriteJSON }
    if let outputError { return outputError.isBrokenPipe ? .brokenPipe : .cannotWriteReport }
    return result.unreadable.isEmpty ? .success : .someUnreadable
  }
}
