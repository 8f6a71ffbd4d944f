// Actors as targets: asynchronous methods by name, and closures that run on the actor.

extension SignalSource {
  /// Connects an `async` method of an actor, which runs on that actor, one call at a time, in
  /// order.
  ///
  /// ```swift
  /// player.scoreChanged.connect(store, Store.save)  // actor Store { func save(_: Int) async }
  /// ```
  ///
  /// It always runs later, in a task: the actor gets the next payload when the call for the
  /// previous one has returned. Cancelling the observer cancels the task.
  ///
  /// The actor is held weakly, and strongly while its method runs, even while the method is
  /// suspended. The connection ends with it ([guarantee 8](doc:Guarantees)).
  ///
  /// Swift has no spelling for a synchronous method of an actor by its name. For one, write
  /// `connect(actor) { me, payload in … }`, which needs no task either.
  ///
  /// The parameters, the result and the complexity are as for a method of a class.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: Actor, Result: Sendable>(
    _ target: Target,
    @TypeDotMethod _ actorMethod:
      @escaping @Sendable (isolated Target) -> @Sendable (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(async: target, .actorTask(target), fileID, line) { target, payload in
        _ = await actorMethod(target)(payload)
      })
  }

  /// Connects an `async` method of an actor with two parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: Actor, First: Sendable, Second: Sendable, Result: Sendable>(
    _ target: Target,
    @TypeDotMethod _ actorMethodOfTwo:
      @escaping @Sendable (isolated Target) -> @Sendable (First, Second) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(async: target, .actorTask(target), fileID, line) { target, payload in
        _ = await actorMethodOfTwo(target)(payload.0, payload.1)
      })
  }

  /// Connects an `async` method of an actor without parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: Actor, Result: Sendable>(
    _ target: Target,
    @TypeDotMethod _ actorMethodWithoutParameters:
      @escaping @Sendable (isolated Target) -> @Sendable () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(async: target, .actorTask(target), fileID, line) { target, _ in
        _ = await actorMethodWithoutParameters(target)()
      })
  }

  /// Connects a closure that runs on its target, an actor.
  ///
  /// ```swift
  /// player.scoreChanged.connect(store) { store, score in store.add(score) }
  /// ```
  ///
  /// The closure may use the state of the actor without `await`. It runs before `invoke` returns if
  /// the emission is made on the actor and nothing must be delivered there first. Otherwise it runs
  /// later, in order ([guarantee 13](doc:Guarantees)). A burst of emissions costs one task, not one
  /// task each.
  ///
  /// The actor is held weakly, and the connection ends with it ([guarantee 8](doc:Guarantees)).
  /// Inside the closure, use the parameter: a capture would hold the actor strongly. If the slot
  /// must wait, pass an `async` closure.
  ///
  /// The parameters, the result and the complexity are as for a closure with any other target.
  @inlinable @discardableResult
  public func connect<Target: Actor>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target, Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(target, calling: onItsActor(body), .actor(target), fileID, line))
  }

  /// Connects a closure that runs on its target, an actor, and takes both arguments; the rest is as
  /// for the whole payload.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: Actor, First: Sendable, Second: Sendable>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target, First, Second) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    let call = onItsActor(body)
    return attachClosure(
      SignalSlot(target, .actor(target), fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }

  /// Connects an `async` closure that runs on its target, an actor, one call at a time, in order.
  ///
  /// ```swift
  /// player.scoreChanged.connect(store) { store, score in await store.save(score) }
  /// ```
  ///
  /// It always runs later, in a task. Cancelling the observer cancels the task. The actor is held
  /// weakly, and strongly while a call is in progress; the connection ends with it
  /// ([guarantee 8](doc:Guarantees)).
  ///
  /// Take this form only if the slot must wait. A synchronous closure needs no task. If the closure
  /// only calls a method of the actor, connect the method itself. The parameters are as for a
  /// synchronous closure.
  @inlinable @discardableResult
  public func connect<Target: Actor>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target, Payload) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(async: target, .actorTask(target), fileID, line) { target, payload in
        await body(target, payload)
      })
  }

  /// Connects an `async` closure that runs on its target, an actor, and takes both arguments; the
  /// rest is as for the whole payload.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: Actor, First: Sendable, Second: Sendable>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target, First, Second) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachClosure(
      SignalSlot(async: target, .actorTask(target), fileID, line) { target, payload in
        await body(target, payload.0, payload.1)
      })
  }
}

// For signals alone: see SignalSource+Closures.swift.
extension Signal where Payload == Void {
  /// Connects a closure that runs on its target, an actor, to a `Signal<Void>`; the rest is as for
  /// other signals.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: Actor>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let call = onItsActor(body)
    return attachClosure(
      SignalSlot(target, .actor(target), fileID, line) { target, _ in call(target) })
  }

  /// Connects an `async` closure that runs on its target, an actor, to a `Signal<Void>`; the rest
  /// is as for other signals.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: Actor>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attachClosure(
      SignalSlot(async: target, .actorTask(target), fileID, line) { target, _ in
        await body(target)
      })
  }
}
