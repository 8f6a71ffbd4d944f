import Synchronization

/// Lets any thread end a scan.
final class StopFlag: Sendable {
  /// Thrown to leave a scan that was stopped.
  struct Stopped: Error {}

  private let isSet = Atomic(false)

  func set() {
    // Relaxed, as the flag guards nothing but itself: the scan sees it a moment later.
    isSet.store(true, ordering: .relaxed)
  }

  func check() throws(Stopped) {
    if isSet.load(ordering: .relaxed) { throw Stopped() }
  }
}
