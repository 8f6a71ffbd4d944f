import DuplicateFinder
import SignalObserver

/// Draws the progress of the search on the last line of a terminal.
@MainActor
final class ProgressBar {
  private static let width = 30
  /// The shortest time between two drawings: often enough for the eye, and no burden for the terminal.
  private static let interval = Duration.milliseconds(50)
  /// The characters that go to the beginning of the line and erase it.
  private static let erasing = "\r\u{1B}[K"

  private let output: Output
  private var observer: SignalObserver?
  private var lastDrawn: ContinuousClock.Instant?
  private var isVisible = false

  init(_ output: Output) {
    self.output = output
  }

  /// Shows the progress of `finder`, and nothing while one of `outputs` writes a line.
  func follow(_ finder: DuplicateFinder, givingWayTo outputs: [Output]) -> SignalObserver {
    // Of what happens between two drawings, only the newest is worth keeping.
    let observer = finder.progressed.buffering(.newest(1)).connect(self, ProgressBar.show)
    self.observer = observer
    for output in outputs {
      output.willWrite.connect(self, ProgressBar.suspend)
      output.didWrite.connect(self, ProgressBar.resume)
    }
    return observer
  }

  private func show(_ done: Int, _ total: Int) {
    let now = ContinuousClock.now
    if let lastDrawn, now - lastDrawn < Self.interval { return }
    lastDrawn = now
    isVisible = true
    output.write(Self.erasing + Self.line(done, total))
  }

  /// Takes the bar off the line until the next progress after `resume`.
  func suspend() {
    observer?.suspend()
    if isVisible { output.write(Self.erasing) }
    isVisible = false
  }

  private func resume() {
    observer?.resume()
  }

  private static func line(_ done: Int, _ total: Int) -> String {
    if done == 0 { return "\(total) files" }
    let filled = String(repeating: "#", count: width * done / total)
    let empty = String(repeating: "-", count: width - filled.count)
    return "[\(filled)\(empty)] \(100 * done / total) % of \(total) files"
  }
}
