public import Dispatch
public import SignalObserver
import Synchronization

/// Records what a source delivers.
///
/// ```swift
/// let spy = SignalSpy(player.scoreChanged)
/// player.goal()
/// player.goal()
/// let scores = try await spy.wait(for: 2)
/// ```
///
/// It knows no test framework and works with each: where it waits, it throws an error that says what
/// did arrive. It is connected when it is made, and until it is dropped.
public final class SignalSpy<Payload: Sendable>: Sendable {
  /// One delivery.
  public struct Delivery: Sendable {
    /// What was delivered.
    public let payload: Payload
    /// Which it was, from zero; those that were taken count.
    public let index: Int
    /// Where it was delivered.
    public let place: DeliveryPlace
  }

  private let record = SpyRecord<Payload>()
  private let observer: SignalObserver?

  /// Connects a spy to a source.
  ///
  /// - Parameters:
  ///   - source: What to record.
  ///   - queue: Where it is delivered; `nil` for the emitting thread, so that what is emitted is
  ///     recorded when `invoke` returns.
  ///   - fileID: Where the spy is made, for the signal's debug description.
  ///   - line: Where the spy is made, for the signal's debug description.
  public init(
    _ source: some SignalSource<Payload>, on queue: DispatchQueue? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) {
    observer = source.connect(on: queue, fileID: fileID, line: line) { [record] payload in
      record.add(payload, DeliveryPlace(queue, isolation: nil))
    }
  }

  /// Makes a spy that records what your own slots tell it.
  public init() {
    observer = nil
  }

  deinit { observer?.cancel() }

  /// Records a payload; for a slot of your own, to see where it runs.
  ///
  /// The main queue and actors are recognised. A slot on another queue is recorded as
  /// ``DeliveryPlace/inline``; to see the queue, connect the spy to it with
  /// ``init(_:on:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - payload: What was delivered.
  ///   - isolation: Where this is called. Leave it out: the compiler fills it in.
  public func record(_ payload: Payload, isolation: isolated (any Actor)? = #isolation) {
    record.add(payload, DeliveryPlace(nil, isolation: isolation))
  }

  // MARK: - Looking

  /// What has been delivered and not taken, in order.
  public var payloads: [Payload] { deliveries.map(\.payload) }

  /// What has been delivered and not taken, in order, with its place.
  public var deliveries: [Delivery] { record.deliveries }

  /// Returns what has been delivered, and forgets it.
  @discardableResult
  public func take() -> [Payload] { record.take() }

  // MARK: - Waiting

  /// Waits for a delivery, and takes it.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait.
  ///   - clock: The clock that measures it.
  /// - Returns: The oldest payload that was not taken.
  /// - Throws: ``SpyTimeout`` if none arrives in time, `CancellationError` if the task is cancelled.
  public func next<C: Clock>(
    timeout: C.Duration = Duration.seconds(5), clock: C = ContinuousClock()
  ) async throws -> Payload where C.Duration == Duration {
    // One for all the waits: what arrives may be taken by another task.
    let deadline = clock.now.advanced(by: timeout)
    while true {
      if let payload = record.takeFirst() { return payload }
      try await wait(for: 1, until: deadline, timeout, clock)
    }
  }

  /// Waits until a number of deliveries is there, and takes none.
  ///
  /// - Parameters:
  ///   - count: How many deliveries that were not taken.
  ///   - timeout: How long to wait.
  ///   - clock: The clock that measures it.
  /// - Returns: All payloads that are there by then, in order.
  /// - Throws: ``SpyTimeout`` if fewer arrive in time, `CancellationError` if the task is cancelled.
  @discardableResult
  public func wait<C: Clock>(
    for count: Int, timeout: C.Duration = Duration.seconds(5), clock: C = ContinuousClock()
  ) async throws -> [Payload] where C.Duration == Duration {
    try await wait(for: count, until: clock.now.advanced(by: timeout), timeout, clock)
    return payloads
  }

  private func wait<C: Clock>(
    for count: Int, until deadline: C.Instant, _ timeout: Duration, _ clock: C
  ) async throws where C.Duration == Duration {
    let arrival = record.arrival(of: count)
    let timer = Task { [record] in
      do { try await clock.sleep(until: deadline, tolerance: nil) } catch { return }
      let arrived = record.deliveries.map { "\($0.payload) (\($0.place))" }
      arrival.resolve(.failure(SpyTimeout(expected: count, timeout: timeout, arrived: arrived)))
    }
    defer { timer.cancel() }
    try await arrival.value
  }
}

/// What a ``SignalSpy`` throws when it has waited in vain.
public struct SpyTimeout: Error, CustomStringConvertible {
  /// How many deliveries it has waited for.
  public let expected: Int
  /// How long it has waited.
  public let timeout: Duration
  /// The deliveries that are there, with their places.
  public let arrived: [String]

  /// Says what was waited for, and lists what did arrive.
  public var description: String {
    let list = arrived.isEmpty ? "none" : "\(arrived.count): \(arrived.joined(separator: ", "))"
    let deliveries = expected == 1 ? "delivery" : "deliveries"
    return "\(expected) \(deliveries) expected within \(timeout), arrived: \(list)"
  }
}

/// What a spy and its slot share, so that the slot does not hold the spy.
private final class SpyRecord<Payload: Sendable>: Sendable {
  typealias Delivery = SignalSpy<Payload>.Delivery

  private struct State {
    var deliveries: [Delivery] = []
    var count = 0
    /// Those who wait for a number of deliveries.
    var arrivals: [(count: Int, arrival: OneShot<Void>)] = []
  }

  private let state = Mutex(State())

  var deliveries: [Delivery] { state.withLock { $0.deliveries } }

  func add(_ payload: Payload, _ place: DeliveryPlace) {
    let due = state.withLock { state in
      state.deliveries.append(Delivery(payload: payload, index: state.count, place: place))
      state.count += 1
      let count = state.deliveries.count
      let due = state.arrivals.filter { $0.count <= count }
      state.arrivals.removeAll { $0.count <= count }
      return due
    }
    for (_, arrival) in due { arrival.resolve(.success(())) }
  }

  func take() -> [Payload] {
    let taken = state.withLock { state in
      defer { state.deliveries = [] }
      return state.deliveries
    }
    return taken.map(\.payload)
  }

  func takeFirst() -> Payload? {
    state.withLock { $0.deliveries.isEmpty ? nil : $0.deliveries.removeFirst() }?.payload
  }

  func arrival(of count: Int) -> OneShot<Void> {
    let arrival = OneShot<Void>()
    let isThere = state.withLock { state in
      let isThere = state.deliveries.count >= count
      if !isThere { state.arrivals.append((count, arrival)) }
      return isThere
    }
    if isThere { arrival.resolve(.success(())) }
    return arrival
  }
}
