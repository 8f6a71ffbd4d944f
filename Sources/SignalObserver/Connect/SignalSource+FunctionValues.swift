// Function values that are not `Sendable`, such as `object.method`.

extension SignalSource {
  /// Connects a function value that is not `Sendable`, such as `object.method`.
  ///
  /// ```swift
  /// player.scoreChanged.connect(object.show)  // keeps object
  /// ```
  ///
  /// It runs on the isolation that it has, else on the one that `connect` is called from, else on
  /// the main queue. It keeps the object that it is bound to alive: connect `Type.method` with a
  /// target for a connection that does not.
  @inlinable
  @discardableResult
  public func connect(
    _ body: @escaping @isolated(any) (Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    return attach(SignalSlot(delivery, fileID, line, onItsIsolation(body)))
  }

  /// Connects a function value that is not `Sendable`, and is given its target.
  ///
  /// It runs on the isolation that it has, else on the one that `connect` is called from, else on
  /// the main queue.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ body: @escaping @isolated(any) (Target, Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    return attach(
      SignalSlot(target, calling: onItsIsolation(body), delivery, fileID, line))
  }

  /// Connects a function value that is given its target and the two payloads.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable>(
    _ target: Target, _ body: @escaping @isolated(any) (Target, First, Second) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, delivery, fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }
}

// Of signals, and not of all sources: where what an operator sends is not known yet, these would be
// taken for what the closure is, and its mistakes be told by them.
extension Signal where Payload == Void {
  /// Connects a function value that is given its target to a signal without a payload.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func connect<Target: AnyObject>(
    _ target: Target, _ body: @escaping @isolated(any) (Target) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, delivery, fileID, line) { target, _ in call(target) })
  }
}
