/// The half of an ``Emitter`` to which others connect; it cannot send.
///
/// ```swift
/// player.scoreChanged.connect(label, Label.show)  // runs on the main actor
/// ```
///
/// An emission reaches the slots in the order in which they were connected
/// ([guarantee 1](doc:Guarantees)). A signal holds its connections until they end, and their
/// targets weakly. It holds neither its emitter nor the emitter's owner.
///
/// A signal is `Sendable` if its payload is. A signal of a payload that is not `Sendable` stays in
/// the isolation domain where it was made, and its slots run inline.
///
/// The `connect` and `map` forms of ``SignalSource`` connect slots.
public final class Signal<Payload> {
  @usableFromInline let list = ConnectionList()

  @inlinable
  init() {}

  /// The number of connections that have not ended, including suspended ones.
  ///
  /// - Complexity: O(*n*) in the number of slots, because it checks whether each target is alive.
  ///   Connections whose target has died end here.
  public var slotCount: Int { list.live { _ in }.count }

  /// Whether a connection may be there, so that an expensive payload is worth making.
  ///
  /// ```swift
  /// if drawn.hasSlots { _drawn.invoke(pixels()) }
  /// ```
  ///
  /// It looks at no target: a connection counts until the library has noticed that its target is
  /// dead. If threads connect meanwhile, the answer may be out of date at once.
  ///
  /// - Complexity: O(1), one load.
  @inlinable
  public var hasSlots: Bool { !list.isEmpty }

  /// Cancels every connection whose target is `target`, and drops what is pending for it.
  ///
  /// ```swift
  /// player.scoreChanged.cancelObservers(of: label)  // label is no longer called
  /// ```
  ///
  /// Any thread may call this. It does not wait for a call in progress
  /// ([guarantee 4](doc:Guarantees)).
  ///
  /// This includes connections that were made through operators. `merge`, `combineLatest`, `zip`,
  /// `reductions(into:)`, the operators of time, and a complete `prefix` before a limit or an
  /// operator such as `scan`, still send the payloads that they have received. Anyone who has the
  /// target and the signal may call this. To end one connection, call
  /// ``SignalObserver/SignalObserver/cancel()``. To end all of them, including those without a
  /// target, the owner of the emitter calls ``Emitter/cancelAllObservers()``.
  ///
  /// - Parameter target: The object that is no longer called.
  ///
  /// - Complexity: O(*n*) in the number of slots, each of which costs a comparison. To connect an
  ///   object again and again, keep its observer: ``SignalObserver/SignalObserver/cancel()`` is
  ///   O(1).
  public func cancelObservers(of target: AnyObject) {
    list.cancelAll(of: target)
  }

  /// Returns whether a connection whose target is `target` has not ended.
  ///
  /// ```swift
  /// let isShown = player.scoreChanged.isConnected(to: label)
  /// ```
  ///
  /// A suspended connection counts, and so does one that was made through operators. A closure that
  /// captures the object is not connected to it.
  ///
  /// - Parameter target: The object whose connections are wanted.
  /// - Returns: Whether one is there. If threads connect meanwhile, the answer may be out of date
  ///   at once.
  /// - Complexity: O(*n*) in the number of slots, each of which costs a comparison.
  public func isConnected(to target: AnyObject) -> Bool {
    list.isConnected(to: target)
  }
}

/// A signal stores no payloads, and its list guards itself.
extension Signal: Sendable where Payload: Sendable {}

extension Signal: SignalSource {
  /// Adds a slot behind the others.
  ///
  /// The connect forms and operators call this. An emission in progress does not call the slot
  /// ([guarantee 2](doc:Guarantees)). Once the emitter is gone, the returned observer is cancelled
  /// from the start.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised. The first change during an emission is O(*n*) in the slots.
  @inlinable
  public func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    list.attach(slot.request)
  }
}

// MARK: - Ending

extension SignalObserver {
  /// Ends the connection, and the one behind the operator of which it is the only part.
  fileprivate func endWithRest() {
    origin.onlyPartHandle?.end()
    end()
  }
}

extension ConnectionList {
  /// Cancels every connection.
  func cancelAll() { forEach { $0.endWithRest() } }

  /// Cancels every connection of one target.
  func cancelAll(of target: AnyObject) {
    for connection in connections(at: target) {
      // If the addresses are equal, this is its target, or its target is dead. Both end it.
      if connection.targetID == ObjectIdentifier(target) {
        connection.endWithRest()
      } else {
        connection.origin.following?.cancelAll(of: target)
      }
    }
  }

  /// Whether a connection of `target` has not ended.
  func isConnected(to target: AnyObject) -> Bool {
    connections(at: target).contains { connection in
      if connection.isOver { return false }
      if connection.target === target { return true }
      return connection.origin.following?.isConnected(to: target) == true
    }
  }

  /// The connections whose target has or had the address of `target`, and those that feed the list
  /// of an operator.
  ///
  /// This loads no weak reference, and holds the list's array only while it looks. So an end that
  /// follows does not copy the array.
  private func connections(at target: AnyObject) -> [SignalObserver] {
    var found: [SignalObserver] = []
    forEach { connection in
      if connection.targetID == ObjectIdentifier(target) || connection.origin.following != nil {
        found.append(connection)
      }
    }
    return found
  }
}

// MARK: - Emission

extension Signal {
  /// Calls every slot.
  ///
  /// Inlinable, so that the caller makes a tuple of arguments on its stack, where the layout is
  /// known. Looking the layout up takes 18 ns.
  @inlinable
  func emit(_ payload: Payload, from isolation: ObjectIdentifier?) {
    if list.isEmpty { return }
    unsafe withUnsafePointer(to: payload) { unsafe list.emit($0, from: isolation) }
  }
}
