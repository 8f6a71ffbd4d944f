import SignalObserver

/// A message on its way to its slots.
struct StreamArrival<Payload: Sendable>: Sendable {
  let message: StreamMessage<Payload>
  let receipt: Receipt

  func handle(_ slot: @Sendable (StreamMessage<Payload>) async throws -> Void) async {
    receipt.begin()
    do { try await slot(message) } catch { receipt.fail("\(error)") }
  }
}

/// An object that a message holds until it has been delivered to every slot, and that knows whether a
/// slot took the message.
final class Receipt: Sendable {
  enum Outcome: Sendable {
    case handled, notTaken
    case threw(String)
  }

  private struct State {
    var outcome = Outcome.notTaken
    var done: CheckedContinuation<Outcome, Never>?
  }

  private let state = Locked(State())

  deinit {
    let (outcome, done) = state.withLock { ($0.outcome, $0.done) }
    done?.resume(returning: outcome)
  }

  /// Notes that a slot takes the message, before the slot runs, in its place.
  func begin() {
    state.withLock { if case .notTaken = $0.outcome { $0.outcome = .handled } }
  }

  func fail(_ reason: String) {
    state.withLock { $0.outcome = .threw(reason) }
  }

  /// Returns the outcome to the only holder of the object, which can then be used for another message.
  func takeOutcome() -> Outcome {
    state.withLock { state in
      defer { state.outcome = .notTaken }
      return state.outcome
    }
  }

  /// Resumes `done` with the outcome when nobody holds the object any more.
  func finish(_ done: CheckedContinuation<Outcome, Never>) { state.withLock { $0.done = done } }
}

/// The messages of a consumer, with what instruments bind while a slot handles one, until the bus is
/// closed.
struct ArrivalSource<Payload: Sendable>: SignalSource {
  let signal: Signal<StreamArrival<Payload>>
  let link: Link

  func attach(_ slot: SignalSlot<StreamArrival<Payload>>) -> SignalObserver {
    signal.attach(
      link.instruments.bind(slot) { $0.message.headers }
        .compactAdapted { [link] in link.hasClosed ? nil : $0 })
  }
}
