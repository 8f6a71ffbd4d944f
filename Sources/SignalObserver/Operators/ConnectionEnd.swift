/// Lets a slot end its own connection, even before `attach` has returned the observer.
@usableFromInline
final class ConnectionEnd: Sendable {
  private let observer = Lock(SignalObserver?.none)
  /// Whether it has ended: 0 or 1, written under the lock.
  ///
  /// Relaxed: the flag publishes nothing. The program orders what ends the connection before a call
  /// that must not be made.
  @usableFromInline let ended = Atomic(0)

  @usableFromInline
  init() {}

  /// Whether the connection has ended, or will end as soon as its observer is known.
  @inlinable
  var isEnded: Bool { ended.load(ordering: .relaxed) != 0 }

  /// Ends the connection, at once or as soon as its observer is known.
  @usableFromInline
  func end() {
    let observer = observer.withLock { observer in
      ended.store(1, ordering: .relaxed)
      return observer.take()
    }
    observer?.cancel()
  }

  /// Sets the observer of the connection, and cancels it if ``end()`` was called before.
  @usableFromInline
  func ends(_ new: SignalObserver) -> SignalObserver {
    let isOver = observer.withLock { observer in
      if !isEnded { observer = new }
      return isEnded
    }
    if isOver { new.cancel() }
    return new
  }

  /// Does the same, but ends also what waits behind a slot that is an only part.
  @inlinable
  func endsAll(_ new: SignalObserver, _ request: SlotRequest) -> SignalObserver {
    _ = ends(request.origin.onlyPartHandle ?? new)
    return new
  }
}
