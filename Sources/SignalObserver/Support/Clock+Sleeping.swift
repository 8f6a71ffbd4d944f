@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension Clock {
  /// Sleeps until the time is at or after `deadline`, even if the clock wakes the task early.
  ///
  /// It throws if the task is cancelled, also if the clock does not.
  @usableFromInline
  package func sleepPast(_ deadline: Instant) async throws {
    repeat {
      try await sleep(until: deadline, tolerance: nil)
      try Task.checkCancellation()
    } while now < deadline
  }
}
