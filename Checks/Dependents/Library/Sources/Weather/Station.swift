public import SignalObserver

/// Signals of each kind, in public API.
public final class Station {
  /// A temperature in degrees Celsius.
  @EmitterArg<Double> public var measured
  /// What to beware of, and the temperature.
  @EmitterArg2<String, Double> public var warned
  /// How often the wind was measured.
  @EmitterValue public private(set) var wind = 0
  private let stop = EmitterVoid()
  /// There is no more to come.
  public var stopped: SignalVoid { stop.signal }
  /// A temperature in degrees Fahrenheit.
  public var fahrenheit: some SignalSource<Double> { measured.map { $0 * 1.8 + 32 } }

  /// Makes a station.
  public init() {}

  /// Sends what was measured.
  public func measure(_ celsius: Double) {
    _measured.invoke(celsius)
    wind += 1
    if celsius > 30 { _warned.invoke("heat", celsius) }
    stop.invoke()
  }

  /// Measures what another station measures.
  @discardableResult
  public func follow(_ other: Signal<Double>) -> SignalObserver {
    other.connect(self, Station.measure, .inline)
  }
}

/// Calls a function for temperatures above a limit; compiled into the caller's module.
@inlinable
public func whenever<Source: SignalSource<Double>>(
  _ source: Source, isAbove limit: Double, _ action: @escaping @Sendable (Double) -> Void
) -> SignalObserver {
  source.filter { $0 > limit }.connect(on: .inline) { action($0) }
}
