import Dispatch
import SignalObserver

/// The places where a slot may run, to make one test of several.
enum Place: CaseIterable, Sendable {
  case inline, queue, main, actor, task

  /// Connects `body` to run here; on `queue` if this is a queue.
  @discardableResult
  func connect<Payload: Sendable>(
    _ signal: Signal<Payload>, _ queue: DispatchQueue = DispatchQueue(label: "place"),
    _ body: @escaping @Sendable (Payload) -> Void
  ) -> SignalObserver {
    switch self {
    case .inline: signal.connect(on: .inline) { (payload: Payload) in body(payload) }
    case .queue: signal.connect(on: queue) { (payload: Payload) in body(payload) }
    case .main: signal.connect { @MainActor (payload: Payload) in body(payload) }
    case .actor: signal.connect { @Studio (payload: Payload) in body(payload) }
    case .task: signal.connect { (payload: Payload) async in body(payload) }
    }
  }
}
