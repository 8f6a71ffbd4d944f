public import CoreMetrics
public import SignalObserverNATS

extension BusInstrument {
  /// Counts and measures with swift-metrics.
  ///
  /// | metric | kind | dimensions | what it is |
  /// |---|---|---|---|
  /// | `nats_sent_messages`, `nats_sent_bytes` | counter | | sent over core subjects |
  /// | `nats_stored_messages`, `nats_stored_bytes` | counter | | stored by streams |
  /// | `nats_delivered_messages`, `nats_delivered_bytes` | counter | | delivered to signals and consumers |
  /// | `nats_lost_messages` | counter | `reason` | ``BusError/Loss`` |
  /// | `nats_errors` | counter | `kind` | errors that no call throws |
  /// | `nats_unsent_messages` | gauge | | not yet sent or stored |
  /// | `nats_pending_bytes` | gauge | | waiting for slots |
  /// | `nats_connected` | gauge | | 1 while the bus is connected, and 0 otherwise |
  /// | `nats_round_trip` | timer | | to the server and back |
  /// | `nats_storing` | timer | `stream` | from an emission to its confirmation |
  /// | `nats_handling` | timer | `stream`, `consumer` | in the slots of a consumer |
  /// | `nats_answering` | timer | `subject` | in a slot that answers |
  /// | `nats_asking` | timer | | until a question was answered, or failed |
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the names.
  ///   - dimensions: The dimensions that all metrics have, such as the name of the bus.
  ///   - factory: The factory of the metrics; nil for that of `MetricsSystem`.
  /// - Returns: The instrument, which several buses may have.
  public static func metrics(
    prefix: String = "nats", dimensions: [(String, String)] = [],
    factory: (any MetricsFactory)? = nil
  ) -> BusInstrument {
    let metrics = BusMetrics(prefix, dimensions, factory ?? MetricsSystem.factory)
    var instrument = BusInstrument()
    instrument.error = { metrics.count($0) }
    instrument.state = { metrics.gauge("connected").record($0 == .connected ? 1 : 0) }
    instrument.measure = { metrics.record($0) }
    return instrument
  }
}

/// The metrics of a bus, each made once.
private final class BusMetrics: Sendable {
  private struct Key: Hashable {
    let name: String
    let dimensions: [String: String]
  }

  private struct Made {
    var counters: [Key: Counter] = [:]
    var gauges: [Key: Gauge] = [:]
    var timers: [Key: Timer] = [:]
  }

  private let prefix: String
  private let dimensions: [(String, String)]
  private let factory: any MetricsFactory
  private let made = Locked(Made())

  init(_ prefix: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
    self.prefix = prefix
    self.dimensions = dimensions
    self.factory = factory
  }

  func count(_ error: BusError) {
    counter("errors", ["kind": error.kind]).increment()
    if case .lost(let count, _, let reason) = error {
      counter("lost_messages", ["reason": "\(reason)"]).increment(by: count)
    }
  }

  func record(_ measurement: BusMeasurement) {
    switch measurement {
    case .sent(let messages, let bytes): count("sent", messages, bytes)
    case .stored(let messages, let bytes): count("stored", messages, bytes)
    case .delivered(let messages, let bytes): count("delivered", messages, bytes)
    case .waiting(let unsentMessages, let pendingBytes):
      gauge("unsent_messages").record(unsentMessages)
      gauge("pending_bytes").record(pendingBytes)
    case .roundTrip(let time): record(time, "round_trip")
    case .storing(let stream, let time): record(time, "storing", ["stream": stream])
    case .handling(let stream, let consumer, let time):
      record(time, "handling", ["stream": stream, "consumer": consumer])
    case .answering(let subject, let time): record(time, "answering", ["subject": subject])
    // The subject of a question may be another one each time.
    case .asking(_, let time): record(time, "asking")
    }
  }

  func gauge(_ name: String) -> Gauge {
    make(\.gauges, name, [:]) { Gauge(label: $0, dimensions: $1, factory: factory) }
  }

  private func counter(_ name: String, _ dimensions: [String: String] = [:]) -> Counter {
    make(\.counters, name, dimensions) { Counter(label: $0, dimensions: $1, factory: factory) }
  }

  private func count(_ name: String, _ messages: Int, _ bytes: Int) {
    counter("\(name)_messages").increment(by: messages)
    counter("\(name)_bytes").increment(by: bytes)
  }

  private func record(_ time: Duration, _ name: String, _ dimensions: [String: String] = [:]) {
    make(\.timers, name, dimensions) { Timer(label: $0, dimensions: $1, factory: factory) }
      .recordNanoseconds(time.nanoseconds)
  }

  /// Returns a metric, which the factory makes for the first measurement.
  private func make<Metric: Sendable>(
    _ metrics: WritableKeyPath<Made, [Key: Metric]>, _ name: String, _ own: [String: String],
    _ make: (String, [(String, String)]) -> Metric
  ) -> Metric {
    let key = Key(name: name, dimensions: own)
    if let known = made.withLock({ $0[keyPath: metrics][key] }) { return known }
    // The factory is code of the user's, and runs without the lock.
    let all = dimensions + own.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let metric = make("\(prefix)_\(name)", all)
    return made.withLock { made in
      let first = made[keyPath: metrics][key] ?? metric
      made[keyPath: metrics][key] = first
      return first
    }
  }
}
