public import Dispatch

// Closures on a queue, and inline.

extension SignalSource {
  /// Connects a closure that runs on `queue`, or inline.
  ///
  /// ```swift
  /// player.scoreChanged.connect(on: queue) { score in log.write(score) }
  /// player.scoreChanged.connect(on: .inline) { score in log.write(score) }
  /// ```
  ///
  /// On a queue, the closure always runs later, in order, one call at a time. With `.inline`, it
  /// runs before `invoke` returns ([guarantees 6 and 13](doc:Guarantees)). It is kept, with what it
  /// captures, until the connection ends: with ``SignalObserver/cancel()``, or with the emitter.
  /// For a connection that ends with an object, pass the object, too:
  /// `connect(target, on: queue) { me, payload in … }`.
  ///
  /// The other parameters, the result and the complexity are as for a closure without a queue.
  @inlinable @discardableResult
  public func connect(
    on queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ body: @escaping @Sendable (Payload) -> Void
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(SignalSlot(RequestedPlace(queue: queue), fileID, line, body))
  }

  /// Connects a closure with a target, to run on `queue`, or inline.
  ///
  /// ```swift
  /// player.scoreChanged.connect(log, on: queue) { log, score in log.write(score) }
  /// ```
  ///
  /// `target` is held weakly, and the connection ends with it ([guarantee 8](doc:Guarantees)).
  /// Inside the closure, use the parameter: a capture would hold the target strongly. On a queue,
  /// the closure always runs later, in order, one call at a time. With `.inline`, it runs before
  /// `invoke` returns ([guarantees 6 and 13](doc:Guarantees)). If it only calls a method of the
  /// target, connect the method itself. The parameters are as for a method with a queue.
  ///
  /// > Important: The closure gets its target on `queue`, or on the emitting thread, wherever it is
  /// > connected. If the class is not `Sendable`, you promise that nobody uses the object elsewhere
  /// > at that time. The compiler does not check it.
  @inlinable @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, on queue: DispatchQueue?, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt32 = #line, _ body: @escaping @Sendable (Target, Payload) -> Void
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(target, calling: body, RequestedPlace(queue: queue), fileID, line))
  }

  /// Connects a closure with a target and both arguments, to run on `queue`, or inline; the rest is
  /// as for the whole payload.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable>(
    _ target: Target, on queue: DispatchQueue?, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt32 = #line, _ body: @escaping @Sendable (Target, First, Second) -> Void
  ) -> SignalObserver where Payload == (First, Second) {
    attachClosure(
      SignalSlot(target, RequestedPlace(queue: queue), fileID, line) { target, payload in
        body(target, payload.0, payload.1)
      })
  }
}

// For signals alone: see SignalSource+Closures.swift.
extension Signal where Payload == Void {
  /// Connects a closure with a target to a `Signal<Void>`, to run on `queue`, or inline; the rest
  /// is as for other signals.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject>(
    _ target: Target, on queue: DispatchQueue?, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt32 = #line, _ body: @escaping @Sendable (Target) -> Void
  ) -> SignalObserver {
    attachClosure(
      SignalSlot(target, RequestedPlace(queue: queue), fileID, line) { target, _ in
        body(target)
      })
  }
}
