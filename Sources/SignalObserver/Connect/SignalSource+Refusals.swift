public import Dispatch

// Every form that is refused or advised against, and what to write instead.
//
// The compiler looks at what is unavailable only where nothing else fits a call, so these neither
// slow down nor change any call that compiles. Taken as `async`, a method of any isolation fits.

extension SignalSource {
  /// Refuses a method of a type that cannot be held weakly.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a target is a class or an actor, which is held weakly; connect a closure instead"
  )
  @discardableResult
  public func connect<Target, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method takes other parameters than the signal has: a slot takes all of them or none; else write map(target, Type.method, { … })"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method of an actor whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method takes other parameters than the signal has: a slot takes all of them or none; else write map(target, Type.method, { … })"
  )
  @discardableResult
  public func connect<Target: Actor, each Argument, Result>(
    _ target: Target, _ method: (isolated Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a target that cannot be held weakly, of a closure that is given it.
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

  /// Refuses a target that cannot be held weakly, of a closure that is given it and two arguments.
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

  /// Connects a method of the main actor, which runs there and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor (Payload) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on the main actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor () -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method of a global actor, which runs there and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) (Payload) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on its global actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) () -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a closure with a queue as its target, which it is given with the payload.
  ///
  /// The slot does not run on that queue.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ target: DispatchQueue,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (DispatchQueue, Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attach(
      SignalSlot(
        target, calling: onItsIsolation(body), Delivery(isolation: body.isolation), fileID, line))
  }

  /// Refuses a queue before a closure that is given the payload.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ queue: DispatchQueue, _ body: @Sendable (Payload) -> Void
  ) -> SignalObserver where Payload: Sendable {
    fatalError("unavailable")
  }

  /// Refuses a queue before a closure without parameters.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ queue: DispatchQueue, _ body: @Sendable () -> Void
  ) -> SignalObserver where Payload: Sendable {
    fatalError("unavailable")
  }

  /// Refuses a method whose parameters are not those of the signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the method takes other parameters than the signal has: a slot takes all of them or none; else write map(target, Type.method, { … }, queue)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) -> Result,
    _ queue: DispatchQueue?
  ) -> SignalObserver where Payload: Sendable {
    fatalError("unavailable")
  }

  /// Connects a method with two parameters.
  ///
  /// It runs on the main actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @MainActor (First, Second) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters.
  ///
  /// It runs on its global actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects an `async` method that leaves the isolation of its caller, of a class that is not
  /// `Sendable`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attach(
      SignalSlot(async: target, Delivery(async: nil), fileID, line) { target, payload in
        await dropResult(of: leavingIsolation(method(target)), payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It is `async`, and leaves the isolation of its caller, although the class is not `Sendable`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attach(
      SignalSlot(async: target, Delivery(async: nil), fileID, line) { target, _ in
        await dropResult(of: leavingIsolation(method(target)))
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It is `async`, and leaves the isolation of its caller, although the class is not `Sendable`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent (First, Second) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(async: target, Delivery(async: nil), fileID, line) { target, payload in
        await dropResult(of: leavingIsolation(method(target)), payload.0, payload.1)
      })
  }

  /// Connects a method of the main actor by way of a transform; both run there and not on
  /// `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    map(target, method, transform, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run on the main actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @MainActor (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    map(target, method, transform, fileID: fileID, line: line)
  }

  /// Connects a method of a global actor by way of a transform; both run there and not on
  /// `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject & Sendable, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    map(target, method, transform, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run on its global actor, and not on `queue`.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    map(target, method, transform, fileID: fileID, line: line)
  }
}

extension Signal where Payload == Void {
  /// Refuses a target that cannot be held weakly, of a closure that is given it only.
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

  /// Connects a closure with a queue as its target.
  ///
  /// The slot does not run on that queue. Where the closure is given the payload only, the queue
  /// would be taken for it, and nobody would say so.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ target: DispatchQueue,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (DispatchQueue) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, Delivery(isolation: body.isolation), fileID, line) { target, _ in
        call(target)
      })
  }
}
