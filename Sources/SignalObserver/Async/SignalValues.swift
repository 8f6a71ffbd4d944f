/// The payloads of a source, as an asynchronous sequence.
///
/// The sequence connects when it is made. It misses no payload before a loop begins. It ends when
/// the emitter has died and all payloads have been consumed. The connection ends at once when the
/// loop is left, when its task is cancelled while it waits, or when a sequence that was never
/// iterated is dropped. The sequence holds neither the emitter nor its owner.
///
/// ```swift
/// for await score in player.scoreChanged.values {
///   print(score)
/// }
/// ```
///
/// Read ``SignalSource/values`` once for each loop, and every loop gets every payload. A second
/// iterator of the same sequence gets the payloads from its creation on, if an earlier iterator is
/// still in use then. When no iterator is left, the sequence is closed, and a later loop ends at
/// once.
///
/// A consumer is not part of an emission: `invoke` returns when the payload is in the buffer. The
/// loop may run on any actor.
public struct SignalValues<Payload: Sendable>: AsyncSequence, Sendable {
  /// An iterator, which takes the payloads one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let consumer: FeedConsumer<Payload>

    /// Waits for the next payload.
    ///
    /// It stays on `actor`, whichever thread sends the payload.
    ///
    /// - Parameter actor: The isolation of the caller. Leave it out: `for await` fills it in.
    /// - Returns: The payload, or nil if the emitter has died or the task is cancelled.
    /// - Precondition: No other task waits on this iterator.
    /// - Complexity: O(1), amortised, and O(*n*) in the number of iterators of the sequence.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Payload? {
      await consumer.next(isolation: actor)
    }

    /// Waits for the next payload.
    ///
    /// Everything else is as for ``next(isolation:)``.
    public mutating func next() async -> Payload? {
      await consumer.next(isolation: #isolation)
    }
  }

  @usableFromInline let connection: FeedConnection<Payload>

  @inlinable
  init(
    _ source: some SignalSource<Payload>, _ buffering: SignalBuffering, target: AnyObject? = nil
  ) {
    let feed = ValueFeed<Payload>(buffering.checked)
    let end = Finally { feed.finish() }
    let slot =
      if let target {
        SignalSlot<Payload>(target, .inline, #fileID, #line) { feed.receive($1) }
      } else {
        SignalSlot<Payload>(.inline, #fileID, #line) { feed.receive($0) }
      }
    connection = FeedConnection(feed, source.attach(slot.holding(end)))
  }

  /// The number of payloads that were dropped because a buffer was full, of all iterators together.
  public var droppedCount: Int { connection.feed.dropped }

  /// Makes an iterator of the payloads.
  ///
  /// The first iterator also gets the payloads that were sent since the sequence was made. Each
  /// other one gets the payloads from its own creation on.
  ///
  /// - Returns: The iterator, which one task at a time may use.
  public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: FeedConsumer(connection))
  }

  /// Ends the connection and every loop, and drops what waits in the buffers.
  ///
  /// ```swift
  /// let scores = player.scoreChanged.values
  /// Task { for await score in scores { print(score) } }
  /// scores.cancel()  // the loop ends
  /// ```
  ///
  /// Use this where you have the sequence. Where you have the task of the loop, you can cancel the
  /// task instead. Any thread may call this. A second call does nothing.
  ///
  /// - Complexity: O(*n*) in the number of payloads that wait.
  public func cancel() { connection.close(dropsBuffers: true) }
}

extension AsyncStream where Element: Sendable {
  /// Makes a stream of the payloads of a source, for the public API of a library.
  ///
  /// ```swift
  /// var changes: AsyncStream<String> { AsyncStream(change.signal.values) }
  /// ```
  ///
  /// It finishes when the emitter has died and all payloads have been consumed. The connection ends
  /// when the task of the loop is cancelled, or when the stream is dropped. Its iterators share the
  /// payloads, as those of every stream do, and only one task at a time may wait for one.
  ///
  /// - Parameter values: The payloads. Make no iterator of them yourself. Payloads wait in their
  ///   buffer.
  /// - Complexity: O(1).
  public init(_ values: SignalValues<Element>) {
    let consumer = FeedConsumer(values.connection)
    self.init { await consumer.next(isolation: #isolation) }
  }
}

/// Only one task may use an iterator at a time. If a second task waits on it, the program stops.
@available(*, unavailable)
extension SignalValues.Iterator: Sendable {}

extension SignalSource where Payload: Sendable {
  /// The payloads from now on, as an asynchronous sequence that keeps each one until it is
  /// consumed.
  ///
  /// Use this if the consumer needs every payload, ``values(buffering:)`` if it may be slow and
  /// need not see all of them, and ``next()`` for a single payload. Each access is a connection of
  /// its own. The sequence of a value begins with the current value. See ``SignalValues``.
  ///
  /// - Complexity: That of one `connect`. Each payload then takes O(1), amortised.
  @inlinable
  public var values: SignalValues<Payload> { SignalValues(self, .unbounded) }

  /// Connects an asynchronous sequence of the payloads from now on, which keeps a limited number of
  /// them.
  ///
  /// ```swift
  /// let scores = player.scoreChanged.values(buffering: .newest(1))
  /// for await score in scores {
  ///   print(score, "after", scores.droppedCount, "that were dropped")
  /// }
  /// ```
  ///
  /// With `.newest(1)`, a slow consumer gets the latest payload. To get every payload, use
  /// ``values``. Each call is a connection of its own. See ``SignalValues``.
  ///
  /// - Parameter buffering: The payloads to keep while the consumer is busy.
  ///   ``SignalValues/droppedCount`` counts the others.
  /// - Returns: The sequence.
  /// - Precondition: There is room for one payload at least.
  /// - Complexity: That of one `connect`. Each payload then takes O(1), amortised.
  @inlinable
  public func values(buffering: SignalBuffering) -> SignalValues<Payload> {
    SignalValues(self, buffering)
  }

  /// Connects an asynchronous sequence of the payloads from now on, which ends when an object has
  /// died.
  ///
  /// ```swift
  /// let flags = settings.flagChanged.values(for: self)
  /// Task { [weak self] in
  ///   for await flag in flags { self?.flag = flag }
  /// }
  /// ```
  ///
  /// With ``values``, the task and its connection would outlive the object until the emitter dies.
  /// Here they end as the connection of `connect(self, …)` does: when the object is dead and the
  /// next payload is sent, or when more connections are made. Everything else is as for
  /// ``values(buffering:)``.
  ///
  /// - Parameters:
  ///   - target: The object, which the sequence does not hold.
  ///   - buffering: The payloads to keep while the consumer is busy.
  /// - Returns: The sequence.
  /// - Precondition: There is room for one payload at least.
  /// - Complexity: That of one `connect`. Each payload then takes O(1), amortised.
  @inlinable
  public func values(
    for target: some AnyObject & Sendable, buffering: SignalBuffering = .unbounded
  ) -> SignalValues<Payload> {
    SignalValues(self, buffering, target: target)
  }
}
