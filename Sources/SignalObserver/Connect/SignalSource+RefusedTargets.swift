public import Dispatch

// Targets and methods that are refused or advised against, and the answer to each.
//
// The compiler looks at an unavailable form only if no other form fits the call. These forms
// therefore neither slow down nor change a call that compiles. The functions that they take are
// `async`, because a function of any isolation converts to an `async` one.

extension SignalSource {
  /// Refuses a method of a type that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a target is a class or an actor, which is held weakly; connect a closure instead"
  )
  @discardableResult
  public func connect<Target, each Argument, Result>(
    _ target: Target, @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method of a type that cannot be held weakly, with a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a target is a class or an actor, which is held weakly; connect a closure instead"
  )
  @discardableResult
  public func connect<Target, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) -> Result,
    _ queue: DispatchQueue?
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a closure with a target that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a target is a class or an actor, which is held weakly; connect a closure instead"
  )
  @discardableResult
  public func connect<Target>(
    _ target: Target, _ body: (Target, Payload) async -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a closure with both arguments and a target that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a target is a class or an actor, which is held weakly; connect a closure instead"
  )
  @discardableResult
  public func connect<Target, First, Second>(
    _ target: Target, _ body: (Target, First, Second) async -> Void
  ) -> SignalObserver where Payload == (First, Second) {
    fatalError("unavailable")
  }

  /// Refuses a closure on a queue with a target that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a target is a class or an actor, which is held weakly; connect a closure instead"
  )
  @discardableResult
  public func connect<Target>(
    _ target: Target, on queue: DispatchQueue?, _ body: (Target, Payload) -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method takes other parameters than the signal has: a slot takes all of them or none, and a tuple is one; else write map(target, Type.method, { … })"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method of an actor whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method takes other parameters than the signal has: a slot takes all of them or none, and a tuple is one; else write map(target, Type.method, { … })"
  )
  @discardableResult
  public func connect<Target: Actor, each Argument, Result>(
    _ target: Target,
    @TypeDotMethod _ method: (isolated Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method takes other parameters than the signal has: a slot takes all of them or none, and a tuple is one; else write map(target, Type.method, { … }, queue)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) -> Result,
    _ queue: DispatchQueue?
  ) -> SignalObserver where Payload: Sendable {
    fatalError("unavailable")
  }

  /// Refuses a method with three parameters.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a slot takes the payload or nothing, and a tuple of three is one payload: write a method that takes the tuple, or connect(target) { me, x in me.method(x.0, x.1, x.2) }"
  )
  @discardableResult
  public func connect<Target: AnyObject, First, Second, Third, Result>(
    _ target: Target,
    @TypeDotMethod _ method:
      (Target) -> (First, Second, Third) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method of an actor with three parameters.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a slot takes the payload or nothing, and a tuple of three is one payload: write a method that takes the tuple, or connect(target) { me, x in me.method(x.0, x.1, x.2) }"
  )
  @discardableResult
  public func connect<Target: Actor, First, Second, Third, Result>(
    _ target: Target,
    @TypeDotMethod _ method:
      (isolated Target) -> (First, Second, Third) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method with three parameters, with a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a slot takes the payload or nothing, and a tuple of three is one payload: write a method that takes the tuple, or connect(target, on: queue) { me, x in me.method(x.0, x.1, x.2) }"
  )
  @discardableResult
  public func connect<Target: AnyObject, First, Second, Third, Result>(
    _ target: Target,
    _ method: (Target) -> (First, Second, Third) -> Result,
    _ queue: DispatchQueue?
  ) -> SignalObserver where Payload: Sendable {
    fatalError("unavailable")
  }
}

extension Signal where Payload == Void {
  /// Refuses a closure without a payload, with a target that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a target is a class or an actor, which is held weakly; connect a closure instead"
  )
  @discardableResult
  public func connect<Target>(
    _ target: Target, _ body: (Target) async -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }
}
