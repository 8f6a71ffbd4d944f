import Dispatch
import Synchronization

/// The library.
///
/// Queues are suspended except during a drain, so slots run only then.
///
/// `@unchecked Sendable`: one thread at a time uses it, as `Player` explains.
final class Real: World, @unchecked Sendable {
  var onDelivery: (Int, Int) -> Void = { _, _ in }
  private var emitters: [EmitterArg<Payload>?] = []
  private let signals: [SignalArg<Payload>]
  private var targets: [Target?] = Array(repeating: nil, count: Limits.targets)
  private let queues = (0..<Limits.queues).map { DispatchQueue(label: "\($0)") }
  private var observers: [SignalObserver] = []
  private let captures = Census()
  private let payloads = Census()

  init() {
    let emitters = (0..<Limits.signals).map { _ in EmitterArg<Payload>() }
    self.emitters = emitters
    signals = emitters.map(\.signal)
    for queue in queues { queue.suspend() }
  }

  deinit {
    for queue in queues { queue.resume() }
  }

  var state: WorldState {
    WorldState(
      slotCounts: signals.map(\.slotCount), cancelled: observers.map(\.isCancelled),
      suspended: observers.map(\.isSuspended), captures: captures.alive, payloads: payloads.alive)
  }

  func connect(signal: Int, target: Int?, queue: Int?) {
    let slot = observers.count
    let capture = captures.member()
    let signal = signals[signal]
    let queueObject = queue.map { queues[$0] }
    let call: @Sendable (Payload) -> Void = { [unowned self] payload in
      withExtendedLifetime(capture) { onDelivery(slot, payload.value) }
    }
    if let target {
      let object = targets[target] ?? Target()
      targets[target] = object
      observers.append(signal.connect(object, on: queueObject) { _, payload in call(payload) })
    } else {
      observers.append(signal.connect(on: queueObject, call))
    }
  }

  func cancel(_ slot: Int) { observers[slot].cancel() }
  func suspend(_ slot: Int) { observers[slot].suspend() }
  func resume(_ slot: Int) { observers[slot].resume() }
  func cancelAll(_ signal: Int) { emitters[signal]?.cancelAllObservers() }

  func emit(_ signal: Int, _ value: Int) {
    emitters[signal]?.invoke(Payload(value, payloads.member()))
  }

  func drain(_ queue: Int) {
    queues[queue].resume()
    let isEmpty = DispatchSemaphore(value: 0)
    signal(isEmpty, of: queue)
    isEmpty.wait()
    queues[queue].suspend()
  }

  /// This does not use `sync`, which may run pending work on this thread, inside its emissions.
  ///
  /// It checks on the queue, where no drain is in progress.
  private func signal(_ isEmpty: DispatchSemaphore, of queue: Int) {
    queues[queue].async { [self] in
      if SignalObserver.isDrainDue(on: queues[queue]) {
        signal(isEmpty, of: queue)
      } else {
        isEmpty.signal()
      }
    }
  }

  func kill(_ target: Int) { targets[target] = nil }
  func destroyEmitter(_ signal: Int) { emitters[signal] = nil }
}

final class Target: Sendable {}

final class Payload: Sendable {
  let value: Int
  private let member: Census.Member

  init(_ value: Int, _ member: Census.Member) {
    self.value = value
    self.member = member
  }
}

/// Counts how many of its members are alive.
final class Census: Sendable {
  final class Member: Sendable {
    private let census: Census

    fileprivate init(_ census: Census) { self.census = census }

    deinit { census.count.subtract(1, ordering: .releasing) }
  }

  private let count = Atomic<Int>(0)

  var alive: Int { count.load(ordering: .acquiring) }

  func member() -> Member {
    count.add(1, ordering: .relaxed)
    return Member(self)
  }
}
