public import Dispatch

// Mistakes that connect a slot, with a warning: it runs in another place than the line says.
//
// These forms are deprecated. Were they unavailable, the compiler would take another form in
// silence. A form that is given a queue ignores it: its slot runs on the actor of its code.

extension SignalSource {
  /// Connects an `async` method that leaves the isolation of its caller, of a class that is not
  /// `Sendable`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "the method leaves the actor of its caller, but its class is not Sendable: make the method nonisolated(nonsending), or the class Sendable"
  )
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ concurrentMethodOfPlainClass:
      @escaping @Sendable (Target) -> @concurrent (Payload) async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(async: target, .task, fileID, line) { target, payload in
        await dropResult(of: leavingIsolation(concurrentMethodOfPlainClass(target)), payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It is `async`, and leaves the isolation of its caller, although the class is not `Sendable`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "the method leaves the actor of its caller, but its class is not Sendable: make the method nonisolated(nonsending), or the class Sendable"
  )
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ concurrentMethodOfPlainClassWithoutParameters:
      @escaping @Sendable (Target) -> @concurrent () async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(async: target, .task, fileID, line) { target, _ in
        await dropResult(
          of: leavingIsolation(concurrentMethodOfPlainClassWithoutParameters(target)))
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It is `async`, and leaves the isolation of its caller, although the class is not `Sendable`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "the method leaves the actor of its caller, but its class is not Sendable: make the method nonisolated(nonsending), or the class Sendable"
  )
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ concurrentMethodOfPlainClassOfTwo:
      @escaping @Sendable (Target) -> @concurrent (First, Second) async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(async: target, .task, fileID, line) { target, payload in
        await dropResult(
          of: leavingIsolation(concurrentMethodOfPlainClassOfTwo(target)), payload.0, payload.1)
      })
  }

  /// Connects a closure with a queue as its target.
  ///
  /// The slot does not run on that queue. The closure gets the queue and the payload.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect<Target: QueueTarget>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(
        target, calling: onItsIsolation(body), RequestedPlace(isolation: body.isolation), fileID,
        line))
  }

  /// Connects a method of a global actor, which runs there and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a method of a global actor runs on that actor: write connect(target, Type.method), without a queue"
  )
  @_disfavoredOverload @discardableResult
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
      "a method of a global actor runs on that actor: write connect(target, Type.method), without a queue"
  )
  @_disfavoredOverload @discardableResult
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
      "a method of a global actor runs on that actor: write connect(target, Type.method), without a queue"
  )
  @_disfavoredOverload @discardableResult
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
      "a method of a global actor runs on that actor: write map(target, Type.method, transform), without a queue"
  )
  @_disfavoredOverload @discardableResult
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
      "a method of a global actor runs on that actor: write map(target, Type.method, transform), without a queue"
  )
  @_disfavoredOverload @discardableResult
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
      "the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect<Target: QueueTarget>(
    _ target: Target,
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Target) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let call = onItsIsolation(body)
    return attachClosure(
      SignalSlot(target, RequestedPlace(isolation: body.isolation), fileID, line) { target, _ in
        call(target)
      })
  }
}
