import Dispatch

/// Returns when all that is on the main queue now has run.
func mainQueueDrained() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}
