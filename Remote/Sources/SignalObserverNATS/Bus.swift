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
  /// When it has returned, no call of a slot begins, neither with a message nor with a value,
  /// wherever the slot runs. One exception is what operators hold that hand payloads on, such as
  /// `merge` and those of time: they still deliver it.
  ///
  /// Messages that the servers do not have are lost. ``BusError/lost(count:subject:because:)``
  /// reports them. To wait for the servers first, use ``close(within:)``. A second call does
  /// nothing.
  public func close() {
    observers.cancelAll()
    link.close()
  }

  /// Ends what the bus sends, takes no more messages of streams, waits until the servers have all
  /// earlier emissions and slots have handled the messages of streams that they have, and closes.
  ///
  /// A message of a stream that slots have not handled in time is delivered again, to the next
  /// process. What waits for slots of signals, and questions that are being answered, are dropped.
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

extension Bus {
  /// Sends every payload of a source to a subject, in the order of emission.
  ///
  /// The emitting thread encodes each payload, and a queue sends it, so an emission never waits for
  /// the network. Receivers get each message at most once (R2). Payloads that were emitted before
  /// `cancel()` are still sent.
  ///
  /// Use this if a lost message does no harm. If every message must be handled, send to a
  /// ``RemoteStream``. If only the latest state matters, use a ``RemoteValue``.
  ///
  /// - Parameters:
  ///   - source: A signal, a value, or any other source.
  ///   - subject: The subject.
  ///   - coding: The coding that turns payloads into bytes.
  ///   - headers: A function that returns the headers of a payload. It runs on the emitting thread.
  ///     If it throws, the payload is not sent, and ``errors`` reports that.
  /// - Returns: The observer of the connection, which also ends with the bus.
  @discardableResult
  @inlinable
  public func send<Payload: Sendable>(
    _ source: some SignalSource<Payload>, to subject: Subject, as coding: Coding<Payload>,
    headers: (@Sendable (Payload) throws -> MessageHeaders)? = nil
  ) -> SignalObserver {
    send(
      Outgoing(base: source, endpoint: subject.text), as: coding, subject: { _ in subject }, headers
    )
  }

  /// Sends every payload of a source to a subject, as JSON, in the order of emission.
  ///
  /// See ``send(_:to:as:headers:)``.
  @discardableResult
  @inlinable
  public func send<Payload: Codable & Sendable>(
    _ source: some SignalSource<Payload>, to subject: Subject,
    headers: (@Sendable (Payload) throws -> MessageHeaders)? = nil
  ) -> SignalObserver {
    send(source, to: subject, as: .json, headers: headers)
  }

  /// Sends every payload of a source to a subject that depends on the payload, in the order of
  /// emission.
  ///
  /// - Parameters:
  ///   - source: A signal, a value, or any other source.
  ///   - coding: The coding that turns payloads into bytes.
  ///   - subject: A function that returns the subject of a payload. It runs on the emitting thread.
  ///   - headers: A function that returns the headers of a payload. It runs on the emitting thread.
  ///     If it throws, the payload is not sent, and ``errors`` reports that.
  /// - Returns: The observer of the connection, which also ends with the bus.
  @discardableResult
  @inlinable
  public func send<Payload: Sendable>(
    _ source: some SignalSource<Payload>, as coding: Coding<Payload>,
    to subject: @escaping @Sendable (Payload) -> Subject,
    headers: (@Sendable (Payload) throws -> MessageHeaders)? = nil
  ) -> SignalObserver {
    send(source, as: coding, subject: subject, headers)
  }

  @inlinable
  func send<Payload: Sendable>(
    _ source: some SignalSource<Payload>, as coding: Coding<Payload>,
    subject: @escaping @Sendable (Payload) -> Subject,
    _ headers: (@Sendable (Payload) throws -> MessageHeaders)?
  ) -> SignalObserver {
    let observer = source.connect(on: .inline) { [link] payload in
      let subject = subject(payload)
      do {
        let headers = try headers?(payload) ?? MessageHeaders()
        link.publish(try coding.encode(payload), to: subject, headers)
      } catch {
        link.report(.unencodable(subject: subject.text, reason: "\(error)"))
      }
    }
    observer.store(in: observers)
    return observer
  }
}

/// A source that is sent to a subject, which a `Wiring` shows.
@usableFromInline
struct Outgoing<Base: SignalSource>: SignalSource {
  @usableFromInline let base: Base
  @usableFromInline let endpoint: String

  @usableFromInline
  init(base: Base, endpoint: String) {
    self.base = base
    self.endpoint = endpoint
  }

  @inlinable
  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    base.attach(slot.leaving(for: endpoint))
  }
}

/// The state of a bus's connection to its servers.
public enum ConnectionState: Sendable, Hashable {
  /// The first connection is being made.
  case connecting
  /// The bus is connected to a server.
  case connected
  /// The connection is lost, and the bus tries the servers one after the other.
  case reconnecting
  /// The bus was closed or dropped, or its first connection failed.
  case closed
}
