public import SignalObserver

/// A connection to NATS, over which signals, streams and values reach other processes.
///
/// ```swift
/// let bus = try await Bus("nats://127.0.0.1:4222")
/// bus.send(player.scoreChanged, to: "game.7.score")
/// bus.signal("game.*.score", of: Int.self).connect { message in print(message.subject) }
/// ```
///
/// A bus that loses its connection makes another, to any server of the cluster, for as long as it is
/// held. Dropping it ends everything that it has given out.
public final class Bus: Sendable {
  @usableFromInline let link: Link
  @usableFromInline let observers = ObserverBag()

  /// Connects to a server, or to one of a cluster.
  ///
  /// - Parameters:
  ///   - servers: The addresses, tried in any order: `nats://host:port`, or `tls://host:port`.
  ///   - options: What else there is to say.
  /// - Throws: ``BusError/connection(reason:)`` if none of them answers.
  public init(_ servers: String..., options: BusOptions = BusOptions()) async throws {
    link = Link(servers, options)
    try await link.open()
  }

  /// Connects to a server, or to one of a cluster.
  ///
  /// - Parameters:
  ///   - servers: The addresses, tried in any order.
  ///   - options: What else there is to say.
  /// - Throws: ``BusError/connection(reason:)`` if none of them answers.
  public init(servers: [String], options: BusOptions = BusOptions()) async throws {
    link = Link(servers, options)
    try await link.open()
  }

  deinit { link.close() }

  /// How the bus stands to its servers; the state of now comes first.
  public var state: SignalValue<ConnectionState> { link.state.signal }

  /// What went wrong and nobody waits for.
  public var errors: Signal<BusError> { link.errors.signal }

  /// The largest message that the server takes, in bytes.
  public var maximumSize: Int { link.maxPayload }

  /// Waits until the server has what was emitted, and knows of the signals that were made, before.
  ///
  /// - Throws: ``BusError/closed`` if the bus is closed meanwhile.
  public func flush() async throws { try await link.flush() }

  /// Ends everything that the bus has given out, and the connection, once what was emitted is sent.
  ///
  /// Calling it again does nothing.
  public func close() {
    observers.cancelAll()
    link.close()
  }
}
