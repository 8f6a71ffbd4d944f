package import Dispatch

// For tools that play queues and actors.
extension SignalObserver {
  /// Whether a drain of the payloads that wait for `queue` is on its way.
  package static func isDrainDue(on queue: DispatchQueue) -> Bool {
    Line.of(queue).withState { $0.isDrainDue }
  }
}
