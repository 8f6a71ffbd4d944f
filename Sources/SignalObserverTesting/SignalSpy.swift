public import Dispatch
public import SignalObserver

/// Records the payloads that a source delivers.
///
/// ```swift
/// let spy = SignalSpy(player.scoreChanged, on: .main)
/// player.goal(1)
/// player.goal(2)
/// let first = try await spy.next()
/// let rest = try await spy.wait(for: 1, timeout: .seconds(1))
/// assert(first == 1 && rest == [2])
/// ```
///
/// A spy works with every test framework. If it waits too long, it throws an error that lists the
/// payloads so far. It is connected when it is made, and disconnected when it is dropped. It does
/// not hold the emitter. It keeps every payload until a test takes it. Any thread may use a spy.
///
/// To take payloads one by one, use ``next(timeout:clock:)``. To see all of them at once, use
/// ``wait(for:timeout:clock:)``.
public final class SignalSpy<Payload: Sendable>: Sendable {
  /// One call of the spy by the source, or of ``record(_:isolation:)``.
  public struct Delivery: Sendable {
    /// The payload.
    public let payload: Payload
    /// Where the call was made: `main`, a `queue`, an `actor`, or `inline`.
    ///
    /// `inline` is the emitting thread, or a task on no actor. For a slot of your own, it may also
    /// be a queue.
    public let place: Wiring.Connection.Place
  }

  private let record = SpyRecord<Payload>()
  private let observer: SignalObserver?

  /// Connects a spy to a source.
  ///
  /// - Parameters:
  ///   - source: The source to record.
  ///   - queue: The queue of the deliveries. With `.inline`, the default, the spy has recorded a
  ///     payload when `invoke` returns.
  ///   - fileID: The file that makes the spy, for the debug description of the signal.
  ///   - line: The line that makes the spy, for the debug description of the signal.
  public init(
    _ source: some SignalSource<Payload>, on queue: DispatchQueue? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) {
    observer = source.connect(on: queue, fileID: fileID, line: line) { [record] payload in
      record.add(payload, Wiring.Connection.Place(queue, isolation: nil))
    }
  }

  /// Makes a spy without a connection, for slots of your own.
  ///
  /// Let those slots call ``record(_:isolation:)``.
  public init() {
    observer = nil
  }

  deinit { observer?.cancel() }

  /// Records a payload of a slot of your own, and the place where the slot runs.
  ///
  /// The spy recognises the main queue and actors. It records a slot on another queue as `inline`.
  /// To record the queue, connect the spy itself with it, by ``init(_:on:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - payload: The payload that was delivered.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  public func record(_ payload: Payload, isolation: isolated (any Actor)? = #isolation) {
    record.add(payload, Wiring.Connection.Place(nil, isolation: isolation))
  }

  // MARK: - Looking

  /// The payloads that were delivered and not taken, in order.
  public var payloads: [Payload] { deliveries.map(\.payload) }

  /// The deliveries that were not taken, in order.
  public var deliveries: [Delivery] { record.deliveries }

  /// Returns the payloads that were delivered and not taken, and takes them.
  ///
  /// To look without taking, use ``payloads``.
  ///
  /// - Returns: The payloads, in order.
  @discardableResult
  public func take() -> [Payload] { record.take() }

  // MARK: - Waiting

  /// The number of calls that wait for deliveries.
  package var waitCount: Int { record.waitCount }

  /// Waits for the oldest delivery that was not taken, and takes it.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, look at
  /// ``payloads``.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait.
  ///   - clock: The clock that measures the timeout.
  /// - Returns: The oldest payload that was not taken.
  /// - Throws: ``SpyTimeout`` if none is made in time, `CancellationError` if the task is
  ///   cancelled, or the error of a clock that fails to sleep.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  public func next<C: Clock>(
    timeout: C.Duration = Duration.seconds(5), clock: C = ContinuousClock()
  ) async throws -> Payload where C.Duration == Duration {
    // All waits have one deadline, because another task may take the delivery that has arrived.
    let deadline = clock.now.advanced(by: timeout)
    while true {
      if let payload = record.takeFirst() { return payload }
      try await wait(for: 1, until: deadline, timeout, clock)
    }
  }

  /// Waits for a number of deliveries, and takes none of them.
  ///
  /// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where clocks begin. On older systems, look at
  /// ``payloads``.
  ///
  /// - Parameters:
  ///   - count: The number of deliveries, without those that were taken.
  ///   - timeout: The longest time to wait.
  ///   - clock: The clock that measures the timeout.
  /// - Returns: All payloads that were delivered and not taken, in order.
  /// - Throws: ``SpyTimeout`` if fewer are made in time, `CancellationError` if the task is
  ///   cancelled, or the error of a clock that fails to sleep.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  @discardableResult
  public func wait<C: Clock>(
    for count: Int, timeout: C.Duration = Duration.seconds(5), clock: C = ContinuousClock()
  ) async throws -> [Payload] where C.Duration == Duration {
    try await wait(for: count, until: clock.now.advanced(by: timeout), timeout, clock)
    return payloads
  }

  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
  private func wait<C: Clock>(
    for count: Int, until deadline: C.Instant, _ timeout: Duration, _ clock: C
  ) async throws where C.Duration == Duration {
    let arrival = record.arrival(of: count)
    let timer = Task { [record] in
      do {
        try await clock.sleepPast(deadline)
        let arrived = record.deliveries.map { "\($0.payload) (\($0.place))" }
        throw SpyTimeout(expected: count, timeout: timeout, arrived: arrived)
      } catch {
        arrival.wake.resolve(.failure(error))
      }
    }
    defer {
      timer.cancel()
      record.remove(arrival)
    }
    try await arrival.wake.value
  }
}

/// The error of a ``SignalSpy`` that has waited too long.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public struct SpyTimeout: Error, CustomStringConvertible {
  let expected: Int
  let timeout: Duration
  /// The deliveries that were made, with their places.
  let arrived: [String]

  /// A sentence that names the expected number, and lists the deliveries that were made.
  public var description: String {
    let list = arrived.isEmpty ? "none" : "\(arrived.count): \(arrived.joined(separator: ", "))"
    let deliveries = expected == 1 ? "delivery" : "deliveries"
    return "\(expected) \(deliveries) expected within \(timeout), arrived: \(list)"
  }
}

/// The record that a spy and its slot share, so that the slot does not hold the spy.
private final class SpyRecord<Payload: Sendable>: Sendable {
  typealias Delivery = SignalSpy<Payload>.Delivery

  private struct State {
    /// The deliveries; nil where one was taken.
    var all: [Delivery?] = []
    var takenCount = 0
    var count: Int { all.count - takenCount }
    var deliveries: [Delivery] { all[takenCount...].compactMap { $0 } }
    /// The calls that wait for a number of deliveries.
    var arrivals = Waiters<Int>()
  }

  private let state = Lock(State())

  var deliveries: [Delivery] { state.withLock { $0.deliveries } }
  var waitCount: Int { state.withLock { $0.arrivals.count } }

  func add(_ payload: Payload, _ place: Wiring.Connection.Place) {
    let due = state.withLock { state in
      state.all.append(Delivery(payload: payload, place: place))
      return state.arrivals.takeAll(through: state.count)
    }
    for arrival in due { arrival.wake.resolve(.success(())) }
  }

  func take() -> [Payload] {
    let taken = state.withLock { state in
      defer { (state.all, state.takenCount) = ([], 0) }
      return state.deliveries
    }
    return taken.map(\.payload)
  }

  func takeFirst() -> Payload? {
    let first = state.withLock { state -> Delivery? in
      if state.count == 0 { return nil }
      let first = state.all[state.takenCount].take()
      state.takenCount += 1
      if state.takenCount * 2 >= state.all.count {
        state.all.removeFirst(state.takenCount)
        state.takenCount = 0
      }
      return first
    }
    return first?.payload
  }

  func arrival(of count: Int) -> Waiters<Int>.Waiter {
    let (arrival, isThere) = state.withLock { state in
      let arrival = state.arrivals.make(count)
      let isThere = state.count >= count
      if !isThere { state.arrivals.insert(arrival) }
      return (arrival, isThere)
    }
    if isThere { arrival.wake.resolve(.success(())) }
    return arrival
  }

  func remove(_ arrival: Waiters<Int>.Waiter) {
    state.withLock { $0.arrivals.remove(arrival) }
  }
}

extension Wiring.Connection.Place {
  /// The place of the caller.
  ///
  /// - Parameters:
  ///   - queue: The queue with which the caller was connected, if there is one.
  ///   - isolation: The isolation of the caller.
  init(_ queue: DispatchQueue?, isolation: (any Actor)?) {
    if let isolation, isolation !== MainActor.shared {
      self = .actor("\(type(of: isolation))")
    } else if isolation != nil || MainQueue.isCurrent {
      self = .main
    } else {
      self = queue.map { .queue($0.label) } ?? .inline
    }
  }
}
