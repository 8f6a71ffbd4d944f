/// The payloads of a source, as an asynchronous sequence.
///
/// It is connected when it is made, not when the loop begins: nothing that is sent in between is
/// missed. It ends when the emitter is gone and what was sent has been consumed. Leaving the loop,
/// cancelling its task while it waits, and dropping a sequence that was never iterated end the
/// connection at once. It holds neither the emitter nor its owner.
///
/// ```swift
/// for await score in player.scoreChanged.values {
///   print(score)
/// }
/// ```
///
/// Ask for ``SignalSource/values`` once for each loop; every loop then gets every payload. A further
/// iterator of the same sequence gets every payload, too, from when it is made, as long as an
/// earlier one is in use.
///
/// A consumer is not part of an emission: `invoke` returns when the payload is in the buffer.
public struct SignalValues<Payload: Sendable>: AsyncSequence, Sendable {
  /// Takes the payloads one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let consumer: FeedConsumer<Payload>

    /// Waits for the next payload.
    ///
    /// - Returns: The payload; nil if there will be none, because the emitter is gone or the task is
    ///   cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Payload? {
      await consumer.next(isolation: actor)
    }

    /// Waits for the next payload.
    ///
    /// See ``next(isolation:)``.
    public mutating func next() async -> Payload? {
      await consumer.next(isolation: #isolation)
    }
  }

  let connection: FeedConnection<Payload>

  init(_ source: some SignalSource<Payload>, _ buffering: SignalBuffering) {
    let feed = ValueFeed<Payload>(buffering.checked)
    let end = Finally { feed.finish() }
    let observer = source.attach(
      SignalSlot(.inline, #fileID, #line) { feed.receive($0) }.holding(end))
    connection = FeedConnection(feed, observer)
  }

  /// How many payloads were dropped because a buffer was full.
  public var droppedCount: Int { connection.feed.dropped }

  /// Begins to take payloads.
  public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: FeedConsumer(connection))
  }
}

/// An iterator is used by one task at a time; a second one that waits on it stops the program.
@available(*, unavailable)
extension SignalValues.Iterator: Sendable {}

extension SignalSource where Payload: Sendable {
  /// The payloads from now on, as an asynchronous sequence that keeps all of them until they are
  /// consumed.
  ///
  /// Each access is a connection of its own. See ``SignalValues``.
  public var values: SignalValues<Payload> { SignalValues(self, .unbounded) }

  /// Connects an asynchronous sequence of the payloads from now on.
  ///
  /// Each call is a connection of its own. See ``SignalValues``.
  ///
  /// - Parameter buffering: What to keep while the consumer is busy. What is not kept is counted by
  ///   ``SignalValues/droppedCount``.
  /// - Returns: The sequence.
  /// - Precondition: There is room for one payload at least.
  public func values(buffering: SignalBuffering) -> SignalValues<Payload> {
    SignalValues(self, buffering)
  }
}
