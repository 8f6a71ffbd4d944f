public import Dispatch

// Queues in the wrong place, and the answer to each.

extension SignalSource {
  /// Refuses a queue behind a closure.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ body: (Payload) -> Void, _ queue: DispatchQueue?
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses another label before a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    queue: DispatchQueue?, _ body: (Payload) -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a queue before a target and its method.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the queue of a method is the last: write connect(target, Type.method, queue)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ queue: DispatchQueue?, _ target: Target,
    @TypeDotMethod _ method: (Target) -> (repeat each Argument) -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a queue without its label behind a target.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ queue: DispatchQueue?, _ body: (Target, Payload) -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a label before the queue of a method.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the queue of a method has no label: write connect(target, Type.method, queue)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) -> Result,
    on queue: DispatchQueue?
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method of an actor with a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a method of an actor runs on the actor, and takes no queue: write connect(actor, Type.method)"
  )
  @discardableResult
  public func connect<Target: Actor, each Argument, Result>(
    _ target: Target, _ method: (isolated Target) -> (repeat each Argument) async -> Result,
    _ queue: DispatchQueue?
  ) -> SignalObserver {
    fatalError("unavailable")
  }
}
