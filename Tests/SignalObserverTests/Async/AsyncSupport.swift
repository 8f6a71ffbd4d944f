import SignalObserver
import Synchronization

/// An emitter whose end can be chosen.
final class Source<Payload: Sendable>: Sendable {
  let sent: Signal<Payload>
  private let emitter: Mutex<Emitter<Payload>?>

  init() {
    let emitter = Emitter<Payload>()
    sent = emitter.signal
    self.emitter = Mutex(emitter)
  }

  func send(_ payload: Payload) {
    let emitter = emitter.withLock { $0 }
    emitter?.invoke(payload, isolation: nil)
  }

  /// Drops the emitter.
  func end() {
    let emitter = emitter.withLock { $0.take() }
    withExtendedLifetime(emitter) {}
  }
}

/// Opens once; any number of tasks wait for it.
final class AsyncGate: Sendable {
  private let closed: Mutex<Emitter<Void>?>
  private let values: SignalValues<Void>

  init() {
    let emitter = Emitter<Void>()
    values = emitter.signal.values
    closed = Mutex(emitter)
  }

  func open() {
    let emitter = closed.withLock { $0.take() }
    withExtendedLifetime(emitter) {}
  }

  func wait() async {
    for await _ in values {}
  }
}

/// Runs each body on a thread of its own, started together, and returns when all have ended.
///
/// Not blocking the task, whose threads are as few as the processors.
func runTogether(_ bodies: [@Sendable () -> Void]) async {
  await withCheckedContinuation { continuation in
    _ = RunningThread {
      onThreads(bodies.count) { bodies[$0]() }
      continuation.resume()
    }
  }
}

/// Starts a task on the main actor, and returns when it has ended or waits for something.
@MainActor func begun<Result: Sendable>(
  _ body: @escaping @MainActor () async -> Result
) async -> Task<Result, Never> {
  let task = Task { await body() }
  // The turn of this one is behind the turn of that one.
  await Task {}.value
  return task
}
