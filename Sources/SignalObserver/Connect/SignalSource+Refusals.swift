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

  /// Refuses a target that cannot be held weakly, of a closure on a queue.
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

  /// Refuses an emitter as a slot.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "an emitter is no slot: to send on what comes, write bind(to: emitter)"
  )
  @discardableResult
  public func connect(_ other: Emitter<Payload>) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a signal as a slot.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a signal does not send: to send on what comes, write bind(to: emitter)"
  )
  @discardableResult
  public func connect(_ other: Signal<Payload>) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses the name that Combine has for it.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write connect { payload in … }; the connection stays without its observer being kept"
  )
  @discardableResult
  public func sink(receiveValue body: (Payload) -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses the name that Combine has for it.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write bind(to:on:), with the same key path and object"
  )
  @discardableResult
  public func assign<Root, Value>(
    to property: ReferenceWritableKeyPath<Root, Value>, on object: Root
  ) -> SignalObserver {
    fatalError("unavailable")
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

extension Signal {
  /// Refuses to send by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)"
  )
  public func invoke<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }
}

extension SignalObserver {
  /// Refuses a set, which Combine has for it.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "write store(in: bag), with an ObserverBag; or nothing, for a connection that ends with its target"
  )
  public func store<Member>(in set: inout Set<Member>) {
    fatalError("unavailable")
  }
}
