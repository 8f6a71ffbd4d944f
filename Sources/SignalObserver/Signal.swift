/// What others connect to: the half of an ``Emitter`` that cannot send.
///
/// A signal calls its slots in the order in which they were connected (guarantee 1). It is
/// `Sendable` if its payload is. A signal of a payload that is not `Sendable` stays in the
/// isolation domain where it was made, and its slots run inline.
///
/// Slots are connected with the `connect` and `map` forms of ``SignalSource``.
public final class Signal<Payload> {
  @usableFromInline let list = ConnectionList()

  @inlinable
  init() {}

  /// The number of connections that have not ended; suspended ones count.
  ///
  /// - Complexity: O(*n*) in the number of slots, since each one's target is looked at.
  public var slotCount: Int { list.liveSlots { _ in }.count }

  /// Cancels every connection whose target is `target`, pending deliveries included.
  ///
  /// Those that were made at the end of operators are among them; what an operator of time has
  /// received already is still sent. Whoever holds the target may do so. Connections without a target
  /// are left to ``Emitter/cancelAllObservers()``.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public func cancelObservers(of target: AnyObject) {
    list.cancelAll(of: target)
  }
}

/// What is shared is the list, which guards itself; payloads are not stored.
extension Signal: Sendable where Payload: Sendable {}

extension Signal: SignalSource {
  /// Adds a slot behind the others.
  ///
  /// The connect forms call this; write an operator to call it yourself.
  ///
  /// On a signal whose emitter is gone, the returned observer is cancelled from the start.
  ///
  /// - Complexity: O(1), amortised.
  @inlinable
  public func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    list.attach(slot.request)
  }
}

// MARK: - Emission

extension Signal {
  /// Inlinable, so that a tuple of arguments is made on the stack of the caller, who knows its layout
  /// (18 ns of looking it up otherwise).
  @inlinable
  func emit(_ payload: Payload, from isolation: ObjectIdentifier?) {
    if list.isEmpty { return }
    unsafe withUnsafePointer(to: payload) { unsafe list.emit($0, from: isolation) }
  }
}
