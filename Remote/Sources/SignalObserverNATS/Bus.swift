public import SignalObserver

/// A connection to NATS, over which signals, streams and values reach other processes.
///
/// ```swift
/// let bus = try await Bus(address)  // "nats://127.0.0.1:4222", or several of one cluster
/// let scores = bus.signal("game.*.score", of: Int.self)
/// scores.connect(on: .inline) { message in print(message.subject, message.payload) }
/// bus.send(player.scoreChanged, to: "game.7.score")
/// ```
///
/// If a bus loses its connection, it makes another one, to any server of the cluster, as long as
/// somebody holds the bus. When the bus is dropped, everything that it has made ends.
///
/// Use ``send(_:to:as:headers:)`` and ``signal(_:of:as:sharedBy:)`` for messages of which some may be
/// lost, ``stream(_:subjects:options:)`` for messages that must all be handled, and
/// ``value(_:of:initially:as:)`` for a state that processes share.
public final class Bus: Sendable {
  @usableFromInline let link: Link
  @usableFromInline let observers = ObserverBag()

  /// Connects to a server, or to one server of a cluster.
  ///
  /// - Parameters:
  ///   - servers: The addresses, `nats://host:port` or `tls://host:port`. The bus tries them in any
  ///     order.
  ///   - options: The options of the bus.
  /// - Throws: ``BusError/connection(reason:)`` if none of them answers, unless
  ///   ``BusOptions/startsWithoutServer``; ``BusError/insecureCredentials(server:)``.
  public init(_ servers: String..., options: BusOptions = BusOptions()) async throws {
    link = try Link(servers, options)
    try await link.open()
  }

  /// Connects to a server, or to one server of a cluster.
  ///
  /// - Parameters:
  ///   - servers: The addresses. The bus tries them in any order.
  ///   - options: The options of the bus.
  /// - Throws: ``BusError/connection(reason:)`` if none of them answers, unless
  ///   ``BusOptions/startsWithoutServer``; ``BusError/insecureCredentials(server:)``.
  public init(servers: [String], options: BusOptions = BusOptions()) async throws {
    link = try Link(servers, options)
    try await link.open()
  }

  deinit { link.close() }

  /// The state of the connection, as a value: a slot gets the present state first.
  public var state: SignalValue<ConnectionState> { link.state.signal }

  /// The errors that no call throws.
  ///
  /// The first slot also gets the last 64 errors from before.
  public var errors: BusErrors { BusErrors(log: link.errors) }

  /// The size of the largest message that the server accepts, in bytes.
  public var maximumSize: Int { link.maxPayload }

  /// Waits until the server has every message that was emitted before, and knows every signal that
  /// was made before.
  ///
  /// - Throws: ``BusError/closed`` if the bus is closed meanwhile, ``BusError/timeout(subject:)`` after
  ///   ``BusOptions/patience``.
  public func flush() async throws { try await link.flush() }

  /// Closes the connection at once, and ends everything that the bus has made.
  ///
  /// When it has returned, no call of a slot with a message begins, wherever the slot runs.
  ///
  /// Messages that the servers do not have are lost. ``BusError/lost(count:subject:because:)``
  /// reports them. To wait for the servers first, use ``close(within:)``. A second call does
  /// nothing.
  public func close() {
    observers.cancelAll()
    link.close()
  }

  /// Stops taking emissions and messages of streams, waits until the servers have all earlier
  /// emissions and slots have handled the messages that they have, and closes.
  ///
  /// A message of a stream that slots have not handled in time is delivered again, to the next
  /// process.
  ///
  /// - Parameter limit: The longest time to wait.
  /// - Returns: The number of messages that the servers did not have then, as far as is known. They
  ///   are lost. ``BusError/lost(count:subject:because:)`` reports them, too.
  @discardableResult
  public func close(within limit: Duration) async -> Int {
    // First, because slots must handle each message that is taken after this.
    link.stopConsuming()
    observers.cancelAll()
    return await link.close(within: limit)
  }
}
