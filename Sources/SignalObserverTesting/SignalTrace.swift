import SignalObserver

/// What some signals emitted during a block of code, and what became of it.
///
/// ```swift
/// let trace = SignalTrace(of: game) { game.score(1) }
/// print(trace)
/// // 1 Game.scored
/// //     → filter → Board, main, at once
/// ```
///
/// It records the signals of the given objects, and those that follow them by operators, bindings
/// and bonds, as a `Wiring` of the same objects finds them. Emissions are recorded on all threads,
/// and deliveries in all places, until the block returns. A delivery that causes an emission is
/// found on its own thread, and in the tasks that its slot makes, but for detached ones. An
/// emission from a block that a slot gives to a queue or to a thread has no cause, and neither has
/// one that another thread delivers, such as a set of a value that another thread is delivering.
///
/// Payloads are not recorded, nor is the current value that a value delivers on connecting. A
/// signal that another trace records already is recorded by that trace alone.
///
/// The trace is a value. In an expectation of Swift Testing, such as
/// `#expect(trace.emissions.count == 1)`, it says what happened where the expectation fails.
///
/// An emission to one slot takes less than a microsecond more while it is recorded. Signals that
/// are not recorded take no longer than without traces.
///
/// It needs macOS 13, iOS 16, tvOS 16 or watchOS 9, where `Duration` begins. On older systems, use
/// ``SignalSpy``.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public struct SignalTrace: Sendable {
  /// One emission of a signal.
  public struct Emission: Sendable {
    /// The name of the signal: the object's type and the property, or the signal's type.
    public let signal: String
    /// The delivery in which it was made; nil if the program made it outside of slots.
    public let cause: Cause?
    /// The number of the emitting thread, in the order in which threads appear; nil for the main
    /// queue.
    public let thread: Int?
    /// What became of the payload, in the order of the connections.
    public let deliveries: [Delivery]
  }

  /// The delivery that caused an emission.
  public struct Cause: Sendable, Hashable {
    /// The index of the emission that was delivered.
    public let emission: Int
    /// The slot that was called.
    public let slot: String
  }

  /// What became of a payload for one connection.
  public struct Delivery: Sendable {
    /// The operators, and the type of the target or the line of the closure.
    public let slot: String
    /// Where the slot runs.
    public let place: String
    /// Whether the slot was called, and when.
    public let outcome: Outcome
  }

  /// Whether a slot was called, and when.
  public enum Outcome: Sendable, Hashable {
    /// Before `invoke` returned.
    case atOnce
    /// After this time.
    case later(Duration)
    /// Not before the block returned.
    case waiting
    /// Never.
    case dropped(Reason)
  }

  /// Why a slot was not called.
  public enum Reason: Sendable, Hashable {
    /// An operator, such as `filter`, did not send the payload on.
    case filtered
    /// The connection had ended.
    case ended
    /// The observer was suspended.
    case suspended
    /// The payload was beyond the bound of `buffering(_:)` or `prefix(_:)`.
    case displaced
    /// The target, or the actor of the slot, had died.
    case deadTarget
  }

  /// The emissions, in the order in which they began.
  public let emissions: [Emission]
  private let events: [Event]

  /// Something that happened at one moment.
  private struct Event: Sendable {
    let step: Int
    let emission: Int
    /// The index of the delivery; nil for the emission itself.
    let delivery: Int?
  }

  /// Records the signals of `objects` while `body` runs.
  ///
  /// What is still pending when `body` returns is ``Outcome/waiting``.
  ///
  /// - Parameters:
  ///   - objects: The objects whose signals are recorded, or signals. Their properties are read on
  ///     the calling thread.
  ///   - body: The code that is recorded, with whatever other threads do meanwhile.
  /// - Throws: The error of `body`.
  public init(of objects: Any..., during body: () throws -> Void) rethrows {
    let recorder = EmissionRecorder(of: objects)
    // A second end does nothing.
    defer { _ = recorder.end() }
    try body()
    self.init(recorder.end())
  }

  /// Records the signals of `objects` while `body` runs, which may wait for deliveries.
  ///
  /// Everything else is as for a block that does not wait.
  public init(
    of objects: Any..., during body: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    let recorder = EmissionRecorder(of: objects)
    defer { _ = recorder.end() }
    try await body()
    self.init(recorder.end())
  }

  private init(
    _ record: (emissions: [RecordedEmission], deliveries: [RecordedDelivery])
  ) {
    var events: [Event] = []
    var deliveries: [[Delivery]] = record.emissions.map { _ in [] }
    for (index, emission) in record.emissions.enumerated() {
      events.append(Event(step: emission.step, emission: index, delivery: nil))
    }
    for delivery in record.deliveries {
      let index = deliveries[delivery.emission].count
      events.append(Event(step: delivery.step, emission: delivery.emission, delivery: index))
      deliveries[delivery.emission].append(Delivery(delivery))
    }
    emissions = zip(record.emissions, deliveries).map { emission, deliveries in
      let cause = emission.cause.map { cause in
        Cause(
          emission: record.deliveries[cause].emission, slot: record.deliveries[cause].slot)
      }
      return Emission(
        signal: emission.signal, cause: cause, thread: emission.thread, deliveries: deliveries)
    }
    self.events = events.sorted { $0.step < $1.step }
  }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension SignalTrace.Delivery {
  fileprivate init(_ delivery: RecordedDelivery) {
    outcome =
      switch delivery.outcome {
      case .atOnce: .atOnce
      case .later(let waited): .later(.nanoseconds(Int64(clamping: waited)))
      case .waiting: .waiting
      case .dropped(.filtered): .dropped(.filtered)
      case .dropped(.ended): .dropped(.ended)
      case .dropped(.suspended): .dropped(.suspended)
      case .dropped(.displaced): .dropped(.displaced)
      case .dropped(.deadTarget): .dropped(.deadTarget)
      }
    slot = delivery.slot
    place = delivery.place
  }
}

// MARK: - Text

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension SignalTrace: CustomStringConvertible {
  /// The emissions in order, each with its number, its cause, and its deliveries.
  ///
  ///     1 Game.goalScored
  ///         → Scoreboard, main, at once
  ///         → Log, queue "log", after 35 µs
  ///     2 Scoreboard.changed, by 1 → Scoreboard
  ///         → Label, main, dropped: suspended
  public var description: String {
    emissions.enumerated().map { index, emission in
      let cause = emission.cause.map { "by \($0.emission + 1) → \($0.slot)" }
      let thread = emission.thread.map { "on thread \($0)" }
      let head = ["\(index + 1) \(emission.signal)", cause, thread].compactMap { $0 }
      let lines = emission.deliveries.map { "\n    → \($0.slot), \($0.place), \($0.outcome)" }
      return head.joined(separator: ", ") + lines.joined()
    }.joined(separator: "\n")
  }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension SignalTrace.Outcome: CustomStringConvertible {
  /// The outcome in words.
  public var description: String {
    switch self {
    case .atOnce: "at once"
    case .later(let time):
      time < .milliseconds(10)
        ? "after \(Int(time / .microseconds(1))) µs" : "after \(Int(time / .milliseconds(1))) ms"
    case .waiting: "waiting"
    case .dropped(let reason): "dropped: \(reason)"
    }
  }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension SignalTrace.Reason: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .filtered: "filtered"
    case .ended: "ended"
    case .suspended: "suspended"
    case .displaced: "displaced"
    case .deadTarget: "dead target"
    }
  }
}

// MARK: - Sequence diagram

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension SignalTrace {
  /// The trace as a sequence diagram of Mermaid.
  ///
  /// An emission is an arrow to its signal, with its number, from the slot that made it, or from
  /// the program. A delivery is an arrow from the signal to the slot: a solid one at once, an open
  /// one later, a dotted one for what waits, and one with a cross for what is dropped.
  public var mermaid: String {
    var numbers: [String: Int] = [:]
    func participant(_ name: String) -> String {
      let number = numbers[name] ?? numbers.count
      numbers[name] = number
      return "p\(number)"
    }
    let messages = events.map { event in
      let emission = emissions[event.emission]
      let number = event.emission + 1
      guard let delivery = event.delivery.map({ emission.deliveries[$0] }) else {
        let sender = participant(emission.cause?.slot ?? "program")
        return "  \(sender)->>\(participant(emission.signal)): \(number)"
      }
      let arrow =
        switch delivery.outcome {
        case .atOnce: "->>"
        case .later: "-)"
        case .waiting: "--)"
        case .dropped: "-x"
        }
      let (from, to) = (participant(emission.signal), participant(delivery.slot))
      let text = "\(number), \(delivery.place), \(delivery.outcome)"
      return "  \(from)\(arrow)\(to): \(Self.escaped(text))"
    }
    let participants = numbers.sorted { $0.value < $1.value }.map {
      "  participant p\($0.value) as \(Self.escaped($0.key))"
    }
    return (["sequenceDiagram"] + participants + messages).joined(separator: "\n")
  }

  private static let escapes: [Character: String] = [
    "\"": "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", ";": "#59;",
    "\n": "<br>",
  ]

  private static func escaped(_ text: String) -> String {
    text.map { escapes[$0] ?? String($0) }.joined()
  }
}
