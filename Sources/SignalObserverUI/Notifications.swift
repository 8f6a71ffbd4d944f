#if canImport(Foundation)
  public import Foundation
  public import SignalObserver

  extension NotificationCenter {
    /// Returns a source that sends whenever a notification is posted.
    ///
    /// ```swift
    /// center.source(for: NSLocale.currentLocaleDidChangeNotification)
    ///   .connect(self, Clock.updateFormat)
    /// ```
    ///
    /// See ``source(for:object:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the notification.
    ///   - object: The object that posts it; nil for any. The source holds it, and a connection is
    ///     registered for it.
    /// - Returns: A source without a payload.
    public func source(
      for name: Notification.Name, object: AnyObject? = nil
    ) -> some SignalSource<Void> {
      source(for: name, object: object) { _ in () }
    }

    /// Returns a source that sends what `transform` takes from each notification.
    ///
    /// A notification is not `Sendable`, so it does not leave the thread that posts it. What
    /// `transform` returns does:
    ///
    /// ```swift
    /// center.source(for: Library.didAdd) { $0.userInfo?["title"] as? String }
    ///   .connect { title in print(title) }
    /// ```
    ///
    /// Each connection is registered at the center when it is made, and removed when it ends: at
    /// once if it is cancelled, and with the next notification if its target has died. The slot
    /// runs where its connect form says. The source can be dropped at once. A connection does not
    /// hold the center, and ends with it.
    ///
    /// - Parameters:
    ///   - name: The name of the notification.
    ///   - object: The object that posts it; nil for any. The source holds it, and a connection is
    ///     registered for it.
    ///   - transform: Runs once for each notification and connection, on the thread that posts.
    ///     If it returns nil, nothing is sent.
    /// - Returns: A source of the payloads.
    /// - Complexity: A notification calls `transform` and emits once for each connection.
    public func source<Payload: Sendable>(
      for name: Notification.Name, object: AnyObject? = nil,
      _ transform: @escaping @Sendable (Notification) -> Payload?
    ) -> some SignalSource<Payload> {
      NotificationSource(center: self, name: name, object: object, transform: transform)
    }
  }

  private struct NotificationSource<Payload: Sendable>: SignalSource {
    let center: NotificationCenter
    let name: Notification.Name
    let object: AnyObject?
    let transform: @Sendable (Notification) -> Payload?

    func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
      let emitter = EmitterArg<Payload>()
      let signal = emitter.signal
      let block = NotificationBlock { [transform] notification in
        // Ends a connection whose target has died, though nothing may be sent.
        if signal.slotCount == 0 { return }
        if let payload = transform(notification) { emitter.invoke(payload) }
      }
      // Without a queue, the block runs on the thread that posts.
      let token = center.addObserver(forName: name, object: object, queue: nil) { block.run($0) }
      let registration = Registration(center, token, block)
      // The connection holds the registration until it ends.
      return signal.attach(slot.holding(registration))
    }
  }

  /// What a center calls.
  ///
  /// A center releases it under a lock of its own. Its content is taken out before that, because to
  /// release what `transform` captures may run anybody's `deinit`.
  private final class NotificationBlock: Sendable {
    private let body: Lock<(@Sendable (Notification) -> Void)?>

    init(_ body: @escaping @Sendable (Notification) -> Void) { self.body = Lock(body) }

    func run(_ notification: Notification) { body.withLock { $0 }?(notification) }

    func takeBody() -> (@Sendable (Notification) -> Void)? { body.withLock { $0.take() } }
  }

  /// Removes an observer of a notification center when it is released.
  ///
  /// `@unchecked Sendable`: a center may be used on every thread, and the token is used by `deinit`
  /// alone.
  private final class Registration: @unchecked Sendable {
    /// The center, from which nothing has to be removed once it is gone.
    ///
    /// This reference is weak, because the center holds the block, which holds this object by way
    /// of the slot.
    private weak var center: NotificationCenter?
    private let token: any NSObjectProtocol
    // Weak, too: the center alone holds it.
    private weak var block: NotificationBlock?

    init(
      _ center: NotificationCenter, _ token: any NSObjectProtocol, _ block: NotificationBlock
    ) {
      self.center = center
      self.token = token
      self.block = block
    }

    deinit {
      let body = block?.takeBody()
      center?.removeObserver(token)
      withExtendedLifetime(body) {}
    }
  }
#endif
