/// Runs `body`, which waits, on a thread of its own, and leaves this one to tasks.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    _ = RunningThread {
      body()
      continuation.resume()
    }
  }
}
