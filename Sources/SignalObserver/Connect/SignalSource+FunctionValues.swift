// Function values that are not `Sendable`, such as `object.method`.

extension SignalSource {
  /// Connects a function value that is not `Sendable`, such as `object.method`.
  ///
  /// ```swift
  /// player.scoreChanged.connect(object.show)  // keeps object
  /// ```
  ///
  /// The function runs on its own isolation, else on the isolation of the call of `connect`, else
  /// on the main queue. It keeps its object alive. For a connection that does not, write
  /// `connect(object, Type.method)`.
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

  /// Connects a function value that is not `Sendable`, with a target.
  ///
  /// The function runs on its own isolation, else on the isolation of the call of `connect`, else
  /// on the main queue.
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

  /// Connects a function value with a target and both payloads.
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

// These forms belong to signals, and not to every source. Behind an operator, the compiler may not
// know the payload yet. It would try a closure with a mistake in these forms, and name another one.
extension Signal where Payload == Void {
  /// Connects a function value with a target to a signal without a payload.
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
