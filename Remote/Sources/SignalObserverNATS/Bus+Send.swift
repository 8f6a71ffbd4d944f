public import SignalObserver

extension Bus {
  /// Sends every payload of a source to a subject, in the order of emission.
  ///
  /// A payload is encoded where it is emitted, and sent from a queue: emitting waits for no network.
  /// The receivers get each message at most once (R2). What was emitted before `cancel()` is sent.
  ///
  /// - Parameters:
  ///   - source: A signal, a value, or what operators make of them.
  ///   - subject: The subject, without wildcards.
  ///   - coding: How payloads become bytes.
  /// - Returns: The observer of the connection, which ends with the bus, too.
  @discardableResult
  @inlinable
  public func send<Payload: Sendable>(
    _ source: some SignalSource<Payload>, to subject: String, as coding: Coding<Payload>
  ) -> SignalObserver {
    let subject = Subject(subject)
    return send(source, as: coding, subject: { _ in subject })
  }

  /// Sends every payload of a source to a subject, as JSON, in the order of emission.
  ///
  /// See ``send(_:to:as:)-(_,String,_)``.
  @discardableResult
  @inlinable
  public func send<Payload: Codable & Sendable>(
    _ source: some SignalSource<Payload>, to subject: String
  ) -> SignalObserver {
    send(source, to: subject, as: .json)
  }

  /// Sends every payload of a source to the subject that it says, in the order of emission.
  ///
  /// - Parameters:
  ///   - source: A signal, a value, or what operators make of them.
  ///   - coding: How payloads become bytes.
  ///   - subject: Returns the subject of a payload. Runs where it is emitted.
  /// - Returns: The observer of the connection, which ends with the bus, too.
  @discardableResult
  @inlinable
  public func send<Payload: Sendable>(
    _ source: some SignalSource<Payload>, as coding: Coding<Payload>,
    to subject: @escaping @Sendable (Payload) -> String
  ) -> SignalObserver {
    send(source, as: coding, subject: { Subject(subject($0)) })
  }

  @inlinable
  func send<Payload: Sendable>(
    _ source: some SignalSource<Payload>, as coding: Coding<Payload>,
    subject: @escaping @Sendable (Payload) -> Subject
  ) -> SignalObserver {
    let observer = source.connect(on: .inline) { [link] payload in
      let subject = subject(payload)
      do {
        link.publish(try coding.encode(payload), to: subject)
      } catch {
        link.report(.unencodable(subject: subject.text, reason: "\(error)"))
      }
    }
    observer.store(in: observers)
    return observer
  }
}
