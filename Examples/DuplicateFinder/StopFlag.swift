import Synchronization

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
