import Testing

/// Returns when `condition` holds, or records an issue that says what was waited for: once the task is
/// cancelled, as a time limit does, or after half a minute.
///
/// A slot that waits in a task that its test cancels is not `isCancellable`.
func until(
  _ what: @autoclosure () -> String, _ location: SourceLocation = #_sourceLocation,
  isCancellable: Bool = true, _ condition: () -> Bool
) async {
  let deadline = ContinuousClock.now + .seconds(30)
  while !condition() {
    if isCancellable && Task.isCancelled || ContinuousClock.now > deadline {
      Issue.record("waited for \(what())", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}
