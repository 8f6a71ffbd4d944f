import Dispatch
import Testing

/// Holds back those who pass it until it is opened, once for each of them.
///
/// Waiting ends after a time, with an issue, so that a deadlock fails its test and no other. A machine
/// that is busy with other things takes seconds for what else takes none.
struct Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  func pass(seconds: Double = 60, _ location: SourceLocation = #_sourceLocation) {
    if semaphore.wait(timeout: .now() + seconds) == .timedOut {
      Issue.record("nobody opened the gate", sourceLocation: location)
    }
  }
}
