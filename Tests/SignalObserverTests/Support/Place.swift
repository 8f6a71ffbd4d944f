import Dispatch
import SignalObserver
import Testing

/// The places where a slot may run, to make one test of several.
enum Place: CaseIterable, Sendable {
  case inline, queue, main, actor, task

  /// Connects `body` to run here; on `queue` if this is a queue.
  @discardableResult
  func connect<Payload: Sendable>(
    _ source: some SignalSource<Payload>, _ queue: DispatchQueue = DispatchQueue(label: "place"),
    _ body: @escaping @Sendable (Payload) -> Void
  ) -> SignalObserver {
    switch self {
    case .inline: source.connect(on: .inline) { (payload: Payload) in body(payload) }
    case .queue: source.connect(on: queue) { (payload: Payload) in body(payload) }
    case .main: source.connect { @MainActor (payload: Payload) in body(payload) }
    case .actor: source.connect { @Studio (payload: Payload) in body(payload) }
    case .task: source.connect { (payload: Payload) async in body(payload) }
    }
  }

  /// Lets nothing run in a queue, on the main queue or on the actor, until the gate is opened.
  func hold(_ queue: DispatchQueue) -> Gate {
    let (entered, hold) = (Gate(), Gate())
    let wait: @Sendable () -> Void = {
      entered.open()
      hold.pass()
    }
    switch self {
    case .main: DispatchQueue.main.async(execute: wait)
    case .actor: Task { @Studio in wait() }
    default: queue.async(execute: wait)
    }
    entered.pass()
    return hold
  }
}
