public import SignalObserver

/// A stream that the servers keep: what is sent to it outlives connections, processes and servers.
///
/// Made by ``Bus/stream(_:subjects:)``.
///
/// ```swift
/// let orders = try await bus.stream("orders", subjects: "orders.>")
/// orders.send(shop.ordered, to: "orders.new")
/// orders.consumer("billing", of: Order.self).connect { message in print(message.payload) }
/// ```
public final class RemoteStream: Sendable {
  /// The name of the stream.
  public let name: String
  private let link: Link
  private let sender: StreamSender
  private let observers: ObserverBag

  init(_ link: Link, _ name: String, _ observers: ObserverBag) {
    self.link = link
    self.name = name
    self.observers = observers
    sender = StreamSender(link)
    sender.open()
  }

  /// Stores every payload of a source on a subject of the stream, each once, in the order of emission.
  ///
  /// A payload is encoded where it is emitted, and waits in this process until the server has stored
  /// it, whatever happens to connections and servers meanwhile. ``flush()`` waits for that.
  ///
  /// - Parameters:
  ///   - source: A signal, a value, or what operators make of them.
  ///   - subject: One of the stream's subjects.
  ///   - coding: How payloads become bytes.
  ///   - id: Returns what tells a payload from every other of the stream. One that is emitted again,
  ///     by a process that was started again, is stored once; the servers remember for two minutes.
  /// - Returns: The observer of the connection, which ends with the bus, too.
  @discardableResult
  public func send<Payload: Sendable>(
    _ source: some SignalSource<Payload>, to subject: String, as coding: Coding<Payload>,
    id: (@Sendable (Payload) -> String)? = nil
  ) -> SignalObserver {
    let observer = source.connect(on: .inline) { [sender, link] payload in
      do {
        sender.append(try coding.encode(payload), to: subject, id: id?(payload))
      } catch {
        link.report(.unencodable(subject: subject, reason: "\(error)"))
      }
    }
    observer.store(in: observers)
    return observer
  }

  /// Stores every payload of a source on a subject of the stream, as JSON.
  ///
  /// See ``send(_:to:as:id:)``.
  @discardableResult
  public func send<Payload: Codable & Sendable>(
    _ source: some SignalSource<Payload>, to subject: String,
    id: (@Sendable (Payload) -> String)? = nil
  ) -> SignalObserver {
    send(source, to: subject, as: .json, id: id)
  }

  /// Waits until everything that was emitted before is stored.
  ///
  /// - Throws: ``BusError/closed`` if the bus is closed meanwhile.
  public func flush() async throws { try await sender.flush() }

  /// The messages of the stream, for the consumer of a name: each is handled once, whatever
  /// processes and servers die meanwhile (R3).
  ///
  /// See ``RemoteConsumer`` for what holds.
  ///
  /// - Parameters:
  ///   - name: The name, under which the servers know how far it is: letters, digits, `-` and `_`.
  ///   - subject: The messages to take; nil for all of the stream.
  ///   - type: What is sent.
  ///   - coding: How bytes become payloads.
  /// - Returns: The source. Nothing is taken from the stream before a slot is connected.
  public func consumer<Payload: Sendable>(
    _ name: String, on subject: String? = nil, of type: Payload.Type, as coding: Coding<Payload>
  ) -> RemoteConsumer<Payload> {
    RemoteConsumer(link, self.name, name, subject, coding)
  }

  /// The messages of the stream as JSON, for the consumer of a name.
  ///
  /// See ``consumer(_:on:of:as:)``.
  public func consumer<Payload: Codable & Sendable>(
    _ name: String, on subject: String? = nil, of type: Payload.Type
  ) -> RemoteConsumer<Payload> {
    RemoteConsumer(link, self.name, name, subject, .json)
  }
}

extension Bus {
  /// The stream of a name, which is made if there is none, kept in files on
  /// ``BusOptions/replicas`` servers.
  ///
  /// - Parameters:
  ///   - name: The name: letters, digits, `-` and `_`.
  ///   - subjects: What the stream keeps; without any, `name.>`.
  /// - Returns: The stream.
  /// - Throws: ``BusError/refused(subject:code:reason:)`` if the server does not want it.
  public func stream(_ name: String, subjects: String...) async throws(BusError) -> RemoteStream {
    try await link.makeStream(
      name, ["subjects": subjects.isEmpty ? ["\(name).>"] : subjects, "max_msg_size": -1])
    return RemoteStream(link, name, observers)
  }
}
