public import SignalObserver

/// A stream that the servers keep.
///
/// Messages in it outlive connections, processes and servers.
///
/// ``Bus/stream(_:subjects:options:)`` makes one.
///
/// ```swift
/// let orders = try await bus.stream("orders")  // keeps the subjects orders.>
/// orders.send(shop.ordered, to: "orders.new")
/// let billing = orders.consumer("billing", of: Order.self)
/// billing.connect(throwing: { message in try await charge(message.payload) })
/// ```
public final class RemoteStream: Sendable {
  /// The name of the stream.
  public let name: Name
  private let link: Link
  private let definition: StreamDefinition
  private let sender: StreamSender
  private let observers: ObserverBag

  init(_ link: Link, _ name: Name, _ definition: StreamDefinition, _ observers: ObserverBag) {
    self.link = link
    self.name = name
    self.definition = definition
    self.observers = observers
    // All users of the stream in this process share one sender, so there is one order.
    sender = link.sender(of: name) { StreamSender(link, definition) }
  }

  /// Stores every payload of a source on a subject of the stream, each once.
  ///
  /// Payloads are stored in the order of emission, with one exception: if the leader of the stream
  /// in a cluster changes, or the stream is lost, the messages on their way at that moment, 512 at
  /// most, may be stored in another order.
  ///
  /// The emitting thread encodes each payload. The payload waits in this process until the servers
  /// have stored it, whatever happens to connections and servers meanwhile. ``flush()`` waits for
  /// that.
  ///
  /// - Parameters:
  ///   - source: A signal, a value, or any other source.
  ///   - subject: One of the stream's subjects.
  ///   - coding: The coding that turns payloads into bytes.
  ///   - id: A function that returns an identity, which no other payload of the stream has. If a
  ///     process that was started again emits a payload again, it is stored once. The servers
  ///     remember identities for two minutes.
  ///   - headers: A function that returns the headers of a payload. It runs on the emitting thread.
  ///     If it throws, the payload is not stored, and ``Bus/errors`` reports that.
  /// - Returns: The observer of the connection, which also ends with the bus.
  @discardableResult
  public func send<Payload: Sendable>(
    _ source: some SignalSource<Payload>, to subject: Subject, as coding: Coding<Payload>,
    id: (@Sendable (Payload) -> String)? = nil,
    headers: (@Sendable (Payload) throws -> MessageHeaders)? = nil
  ) -> SignalObserver {
    let outgoing = Outgoing(base: source, endpoint: subject.text)
    let observer = outgoing.connect(on: .inline) { [sender, link] payload in
      do {
        let headers = try headers?(payload) ?? MessageHeaders()
        sender.append(try coding.encode(payload), to: subject.text, id: id?(payload), headers)
      } catch {
        link.report(.unencodable(subject: subject.text, reason: "\(error)"))
      }
    }
    observer.store(in: observers)
    return observer
  }

  /// Stores every payload of a source on a subject of the stream, as JSON.
  ///
  /// See ``send(_:to:as:id:headers:)``.
  @discardableResult
  public func send<Payload: Codable & Sendable>(
    _ source: some SignalSource<Payload>, to subject: Subject,
    id: (@Sendable (Payload) -> String)? = nil,
    headers: (@Sendable (Payload) throws -> MessageHeaders)? = nil
  ) -> SignalObserver {
    send(source, to: subject, as: .json, id: id, headers: headers)
  }

  /// Stores a payload on a subject of the stream, once, and waits while the outbox is full.
  ///
  /// It returns when the payload has a place among those that wait in this process to be stored.
  /// ``flush()`` waits until they are. Payloads of several tasks get places in the order of the calls.
  /// They get half of ``BusOptions/streamOutboxLimit``, so that payloads of sources, which cannot
  /// wait, have the other half. ``Bus/errors`` reports a payload that the servers refuse later.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - subject: One of the stream's subjects.
  ///   - coding: The coding that turns payloads into bytes.
  ///   - id: An identity, as for ``send(_:to:as:id:headers:)``.
  ///   - headers: The headers of the message.
  /// - Throws: ``BusError/closed`` if the bus is closed before there is a place;
  ///   ``BusError/unavailable(subject:reason:)`` if there is none, and nothing has been stored, for
  ///   ``BusOptions/patience``; ``BusError/unencodable(subject:reason:)`` or
  ///   ``BusError/tooLarge(subject:size:limit:)``; `CancellationError` if the task is cancelled before
  ///   there is a place. Whenever it throws, the payload is not stored.
  public func emit<Payload: Sendable>(
    _ payload: Payload, to subject: Subject, as coding: Coding<Payload>, id: String? = nil,
    headers: MessageHeaders = MessageHeaders()
  ) async throws {
    let bytes: [UInt8]
    do { bytes = try coding.encode(payload) } catch {
      throw BusError.unencodable(subject: subject.text, reason: "\(error)")
    }
    try await sender.emit(bytes, to: subject.text, id: id, headers)
  }

  /// Stores a payload on a subject of the stream, as JSON, once, and waits while the outbox is full.
  ///
  /// See ``emit(_:to:as:id:headers:)``.
  public func emit<Payload: Codable & Sendable>(
    _ payload: Payload, to subject: Subject, id: String? = nil,
    headers: MessageHeaders = MessageHeaders()
  ) async throws {
    try await emit(payload, to: subject, as: .json, id: id, headers: headers)
  }

  /// Waits until every payload that was emitted before is stored.
  ///
  /// - Throws: ``BusError/closed`` if the bus is closed meanwhile;
  ///   ``BusError/unavailable(subject:reason:)`` if nothing has been stored for
  ///   ``BusOptions/patience``. The messages still wait then.
  public func flush() async throws { try await sender.flush() }

  /// Returns the consumer with a name: a source of the messages of the stream, of which each is
  /// handled once, whichever processes and servers die meanwhile (R3).
  ///
  /// See ``RemoteConsumer``.
  ///
  /// - Parameters:
  ///   - name: The name under which the servers keep the mark of the consumer.
  ///   - subject: The subjects of the messages to handle; nil for all messages of the stream. All
  ///     workers of a shared consumer must have the same: the servers keep the last one.
  ///   - start: The message with which the consumer begins.
  ///   - type: The type of the payloads.
  ///   - coding: The coding that turns bytes into payloads.
  ///   - isShared: Whether all processes with the name handle messages at the same time. Each message
  ///     is then handled at least once, by one of them, and the order is not kept.
  ///   - batch: The number of messages that may be handled behind the mark: at least one, and at most
  ///     1,048,576; another number is taken for the nearest. If a process dies, at most so many
  ///     messages are delivered again. It has no effect on a shared consumer.
  /// - Returns: The source. It takes no message from the stream before a slot is connected.
  public func consumer<Payload: Sendable>(
    _ name: Name, on subject: SubjectPattern? = nil, from start: StreamStart = .beginning,
    of type: Payload.Type, as coding: Coding<Payload>, isShared: Bool = false, batch: Int = 1
  ) -> RemoteConsumer<Payload> {
    RemoteConsumer(
      link, definition, name, subject, start, coding, isShared: isShared, batch: batch)
  }

  /// Returns the consumer with a name, for messages as JSON.
  ///
  /// See ``consumer(_:on:from:of:as:isShared:batch:)``.
  public func consumer<Payload: Codable & Sendable>(
    _ name: Name, on subject: SubjectPattern? = nil, from start: StreamStart = .beginning,
    of type: Payload.Type, isShared: Bool = false, batch: Int = 1
  ) -> RemoteConsumer<Payload> {
    RemoteConsumer(link, definition, name, subject, start, .json, isShared: isShared, batch: batch)
  }
}

extension Bus {
  /// Returns the stream with a name, and makes it if there is none.
  ///
  /// ``BusOptions/replicas`` servers keep it.
  ///
  /// If the servers lose the stream, it is made again in the same way, and
  /// ``BusError/storeLost(name:)`` reports the loss.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - subjects: The subjects that the stream keeps. Without any, they are `name.>`, or those of a
  ///     stream that exists.
  ///   - options: What the stream keeps, and where. Without any, it keeps every message in files.
  /// - Returns: The stream.
  /// - Throws: ``BusError``, if the server refuses the stream, there is no JetStream, or a stream
  ///   exists that does not keep one of `subjects`.
  public func stream(
    _ name: Name, subjects: SubjectPattern..., options: StreamOptions = StreamOptions()
  ) async throws(BusError) -> RemoteStream {
    let texts = subjects.isEmpty ? ["\(name.text).>"] : subjects.map(\.text)
    let definition = StreamDefinition(name: name.text, subjects: texts, options: options)
    try await link.makeStream(definition)
    if !subjects.isEmpty {
      let kept = try await link.info(of: name.text).config.subjects ?? []
      for subject in texts where !kept.contains(where: { covers($0, subject) }) {
        throw .refused(
          subject: name.text, code: APIError.streamNameInUse,
          reason: "the stream exists, and does not keep \(subject)")
      }
    }
    return RemoteStream(link, name, definition, observers)
  }
}
