public import SignalObserver

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
