public import Dispatch

// Targets, methods, queues and closures that no form of `connect` takes, and the answer to each.
//
// The compiler looks at an unavailable form only if no other form fits the call. These forms
// therefore neither slow down nor change a call that compiles. The functions that they take are
// `async`, because a function of any isolation converts to an `async` one.

extension SignalSource {
  // MARK: - Targets and methods

  /// Refuses a method of a type that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "only a class or an actor can be a target: write connect { payload in … }"
  )
  @discardableResult
  public func connect<Target, each Argument, Result>(
    _ target: Target, @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a closure with a target that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "only a class or an actor can be a target: write connect { payload in … }"
  )
  @discardableResult
  public func connect<Target>(
    _ target: Target, on queue: DispatchQueue? = nil, _ body: (Target, Payload) async -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a closure with both arguments and a target that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "only a class or an actor can be a target: write connect { payload in … }"
  )
  @discardableResult
  public func connect<Target, First, Second>(
    _ target: Target, _ body: (Target, First, Second) async -> Void
  ) -> SignalObserver where Payload == (First, Second) { fatalError("unavailable") }

  /// Refuses a method whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a method of an actor whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }"
  )
  @discardableResult
  public func connect<Target: Actor, each Argument, Result>(
    _ target: Target,
    @TypeDotMethod _ method: (isolated Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a method whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method does not take the payload: change its parameters, or write connect(target, on: queue) { target, payload in … }"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) -> Result,
    _ queue: DispatchQueue?
  ) -> SignalObserver where Payload: Sendable { fatalError("unavailable") }

  /// Refuses a closure that throws.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @discardableResult
  public func connect(_ body: (Payload) async throws -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a closure with a target that throws.
  ///
  /// A closure that does not throw fits this form, too. The form is disfavoured, so that another
  /// answer is given first.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @_disfavoredOverload @discardableResult
  public func connect<Target>(
    _ target: Target, _ body: (Target, Payload) async throws -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a closure with a target and both arguments that throws.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @_disfavoredOverload @discardableResult
  public func connect<Target, First, Second>(
    _ target: Target, _ body: (Target, First, Second) async throws -> Void
  ) -> SignalObserver where Payload == (First, Second) { fatalError("unavailable") }

  /// Refuses a closure that throws, with an actor as its target.
  ///
  /// By the form for other targets, the closure would not be on the actor. The compiler would then
  /// report each use of the actor, too.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @_disfavoredOverload @discardableResult
  public func connect<Target: Actor>(
    _ target: Target, _ body: (isolated Target, Payload) async throws -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a closure with both arguments that throws, with an actor as its target.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @_disfavoredOverload @discardableResult
  public func connect<Target: Actor, First, Second>(
    _ target: Target, _ body: (isolated Target, First, Second) async throws -> Void
  ) -> SignalObserver where Payload == (First, Second) { fatalError("unavailable") }

  /// Refuses a method that throws.
  ///
  /// A method that does not throw fits this form, too. The form is disfavoured, so that another
  /// answer is given first.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @_disfavoredOverload @discardableResult
  public func connect<Target, each Argument, Result>(
    _ target: Target,
    @TypeDotMethod _ method: (Target) -> (repeat each Argument) async throws -> Result
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a method without its target.
  ///
  /// The form is disfavoured: otherwise, the compiler would answer a mistake in a closure with it,
  /// or with "no exact matches".
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the target is missing: write connect(target, Type.method)"
  )
  @_disfavoredOverload @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a method without its type.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the type of the method is missing: write connect(target, Type.method)"
  )
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ method: TypeDotMethod, _ queue: DispatchQueue? = nil
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a property as a slot.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "to set a property, write bind(to: \\.property, of: target)"
  )
  @discardableResult
  public func connect<Target: AnyObject, Value>(
    _ target: Target, _ property: KeyPath<Target, Value>, _ queue: DispatchQueue? = nil
  ) -> SignalObserver { fatalError("unavailable") }

  // MARK: - Queues

  /// Refuses a queue behind a closure.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ body: (Payload) -> Void, _ queue: DispatchQueue?
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses another label before a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    queue: DispatchQueue?, _ body: (Payload) -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a queue before a target and its method.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the queue is the last argument: write connect(target, Type.method, queue)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ queue: DispatchQueue?, _ target: Target,
    @TypeDotMethod _ method: (Target) -> (repeat each Argument) -> Result
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a queue without its label behind a target.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ queue: DispatchQueue?, _ body: (Target, Payload) -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a label before the queue of a method.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "after a method, the queue has no label: write connect(target, Type.method, queue)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) -> Result,
    on queue: DispatchQueue?
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a method of an actor with a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a method of an actor runs on its actor: write connect(actor, Type.method), without a queue"
  )
  @discardableResult
  public func connect<Target: Actor, each Argument, Result>(
    _ target: Target, _ method: (isolated Target) -> (repeat each Argument) async -> Result,
    _ queue: DispatchQueue?
  ) -> SignalObserver { fatalError("unavailable") }
}

extension Signal where Payload == Void {
  /// Refuses a closure without a payload, with a target that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "only a class or an actor can be a target: write connect { payload in … }"
  )
  @discardableResult
  public func connect<Target>(
    _ target: Target, _ body: (Target) async -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a closure without a payload that throws.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @_disfavoredOverload @discardableResult
  public func connect<Target>(
    _ target: Target, _ body: (Target) async throws -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a closure without a payload that throws, with an actor as its target.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @_disfavoredOverload @discardableResult
  public func connect<Target: Actor>(
    _ target: Target, _ body: (isolated Target) async throws -> Void
  ) -> SignalObserver { fatalError("unavailable") }
}
