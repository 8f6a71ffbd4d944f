#if DEBUG && !SO_EXPLORE && !os(Windows)
  import CSignalObserver
  import Dispatch
#endif

/// Notices that payloads have waited for the main queue for two seconds, and that it has never run.
///
/// Otherwise, a program whose main loop does not run the main queue waits without a word. Once the
/// queue has run, a wait means only that it is busy.
struct MainQueueWatch {
  private var begin: UInt64?
  private var isOver = false

  mutating func recordRun() { isOver = true }

  /// Returns, once, whether that is so; `now` counts nanoseconds.
  ///
  /// It may be less than in the call before: threads read the clock before they take the lock.
  mutating func recordWait(_ now: UInt64) -> Bool {
    if isOver { return false }
    let begin = begin ?? now
    self.begin = begin
    isOver = now >= begin + 2_000_000_000
    return isOver
  }
}

extension MainQueue {
  #if DEBUG && !SO_EXPLORE && !os(Windows)
    private static let watch = Lock(MainQueueWatch())

    static func recordRun() { watch.withLock { $0.recordRun() } }

    /// Records that a payload waits; no timer, because others follow.
    static func recordWait() {
      let now = DispatchTime.now().uptimeNanoseconds
      if watch.withLock({ $0.recordWait(now) }) { report() }
    }

    private static func report() {
      let text: StaticString = """
        SignalObserver: payloads have waited for two seconds for the main queue, which has not run yet. \
        If nobody runs it, see the article "Threads, queues and actors".

        """
      // Unsafe: the text is a constant of so many bytes.
      _ = unsafe signal_observer_write(2, text.utf8Start, UInt(text.utf8CodeUnitCount))
    }
  #else
    @inline(__always) static func recordRun() {}
    @inline(__always) static func recordWait() {}
  #endif
}
