public import Dispatch

// Queues in the wrong place, and the answer to each.
//
// A deprecated form ignores the queue: its slot runs on the actor of its code.

/// A queue as the target of a closure.
///
/// The forms that answer to it are constrained to this protocol, and not to the class. In a call
/// with a mistake inside the closure, the compiler then names that mistake.
@_documentation(visibility: internal)
public protocol QueueTarget: AnyObject {}

extension DispatchQueue: QueueTarget {}

extension SignalSource {
  /// Connects a closure with a queue as its target.
  ///
  /// The slot does not run on that queue. The closure gets the queue and the payload.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect<Target: QueueTarget>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attach(
      SignalSlot(
        target, calling: onItsIsolation(body), RequestedPlace(isolation: body.isolation), fileID,
        line))
  }

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

  /// Connects a method of a global actor, which runs there and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a method of the main actor, or of another global actor, runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    _ isolatedMethod: @escaping @Sendable (Target) -> @isolated(any) (Payload) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    connect(target, isolatedMethod, fileID: fileID, line: line)
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on its global actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a method of the main actor, or of another global actor, runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    _ isolatedMethodWithoutParameters:
      @escaping @Sendable (Target) -> @isolated(any) () -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    connect(target, isolatedMethodWithoutParameters, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters.
  ///
  /// It runs on its global actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a method of the main actor, or of another global actor, runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ isolatedMethodOfTwo:
      @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    connect(target, isolatedMethodOfTwo, fileID: fileID, line: line)
  }

  /// Connects a method of a global actor by way of a transform; both run there and not on
  /// `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a method of the main actor, or of another global actor, runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target,
    _ isolatedMethod: @escaping @Sendable (Target) -> @isolated(any) (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    map(target, isolatedMethod, transform, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run on its global actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a method of the main actor, or of another global actor, runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ isolatedMethodOfTwo:
      @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    map(target, isolatedMethodOfTwo, transform, fileID: fileID, line: line)
  }
}

extension Signal where Payload == Void {
  /// Connects a closure with a queue as its target.
  ///
  /// The slot does not run on that queue. The closure gets the queue, and its writer expects the
  /// payload.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect<Target: QueueTarget>(
    _ target: Target,
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Target) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, RequestedPlace(isolation: body.isolation), fileID, line) { target, _ in
        call(target)
      })
  }
}
