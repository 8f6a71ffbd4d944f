// Closures without a queue, alone and with a target.

extension SignalSource {
  /// Connects a closure, which runs on the isolation around it, or on the main queue if there is
  /// none.
  ///
  /// ```swift
  /// player.scoreChanged.connect { score in print(score) }
  /// player.scoreChanged.connect { @MainActor score in label.show(score) }
  /// ```
  ///
  /// The closure runs before `invoke` returns if the emission is already there and nothing must be
  /// delivered there first. Otherwise it runs later, in order ([guarantee 13](doc:Guarantees)). It
  /// is kept, with what it captures, until the connection ends: with ``SignalObserver/cancel()``,
  /// or with the emitter. For a connection that ends with an object, write
  /// `connect(target) { me, payload in … }`, which needs no `[weak self]` either.
  ///
  /// In an `async` function that is `nonisolated(nonsending)`, there is no isolation around the
  /// closure, which runs on the main queue. A method, and a synchronous closure with a target, run
  /// on the actor that calls the function.
  ///
  /// - Parameters:
  ///   - body: The closure. It takes both arguments of a signal that has two.
  ///   - fileID: Where `connect` is called, for the signal's debug description.
  ///   - line: Where `connect` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised. The first change during an emission is O(*n*) in the slots.
  @inlinable @discardableResult
  public func connect(
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(RequestedPlace(isolation: body.isolation), fileID, line, onItsIsolation(body)))
  }

  /// Connects an `async` closure, which runs on the isolation around it, one call at a time, in
  /// order.
  ///
  /// ```swift
  /// player.scoreChanged.connect { score in await store.save(score) }
  /// ```
  ///
  /// It always runs later, in a task. Without an isolation around it, that task is on no actor.
  /// Cancelling the observer cancels the task. The closure is kept, with what it captures, until
  /// the connection ends.
  ///
  /// Take this form only if the slot must wait. A synchronous closure may run before `invoke`
  /// returns, and needs no task. For a connection that ends with an object, pass the object as the
  /// target. The parameters, the result and the complexity are as for a synchronous closure.
  @inlinable @discardableResult
  public func connect(
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Payload) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(async: RequestedPlace(async: body.isolation), fileID, line) { payload in
        await body(payload)
      })
  }

  /// Connects an `async` function value that stays with its caller, which runs where `connect` is
  /// called.
  ///
  /// Such a value does not convert to one that says its isolation. A closure that is written in the
  /// call takes the form above. Everything else is as there.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect(
    _ nonsendingFunction:
      nonisolated(nonsending) @escaping @Sendable (Payload) async -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(async: RequestedPlace(async: isolation), fileID, line, nonsendingFunction))
  }

  /// Connects a closure with a target, which the closure gets with the payload.
  ///
  /// ```swift
  /// player.scoreChanged.connect(label) { label, score in label.show(score) }
  /// ```
  ///
  /// `target` is held weakly, and the connection ends with it ([guarantee 8](doc:Guarantees)).
  /// Inside the closure, use the parameter: a capture would hold the target strongly. The closure
  /// runs on the isolation around it, or on the main queue if there is none. It runs before
  /// `invoke` returns if the emission is already there and nothing must be delivered there first.
  /// Otherwise it runs later, in order ([guarantee 13](doc:Guarantees)).
  ///
  /// If the closure only calls a method of the target, connect the method itself.
  ///
  /// > Important: From code on no actor, you promise that a target that is not `Sendable` is used
  /// only where the closure runs. A synchronous method of a plain class is such code, even if an
  /// actor calls it. From code on an actor, the compiler checks it.
  ///
  /// - Parameters:
  ///   - target: The object that the closure gets.
  ///   - body: The closure.
  ///   - isolation: Where `connect` is called. Leave it out: the compiler fills it in.
  ///   - fileID: Where `connect` is called, for the signal's debug description.
  ///   - line: Where `connect` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Precondition: If the target is not `Sendable`, the closure belongs to no actor, or to the
  ///   actor whose code connects it.
  /// - Complexity: As for a closure without a target.
  @inlinable @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    let place = RequestedPlace(closure: body.isolation, stayingOn: isolation)
    return attachClosure(SignalSlot(target, calling: onItsIsolation(body), place, fileID, line))
  }

  /// Connects a closure, of any actor, with a `Sendable` target; the rest is as for other targets.
  @_documentation(visibility: internal)
  @inlinable @discardableResult
  public func connect<Target: AnyObject & Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    let place = RequestedPlace(isolation: body.isolation ?? isolation)
    return attachClosure(SignalSlot(target, calling: onItsIsolation(body), place, fileID, line))
  }

  /// Connects a closure with a target and both arguments; the rest is as for the whole payload.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, First, Second) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    let (call, place) = (
      onItsIsolation(body), RequestedPlace(closure: body.isolation, stayingOn: isolation)
    )
    return attachClosure(
      SignalSlot(target, place, fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }

  /// Connects a closure with a target that is `Sendable` and both arguments; the rest is as for the
  /// whole payload.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, First: Sendable, Second: Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, First, Second) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    let (call, place) = (
      onItsIsolation(body), RequestedPlace(isolation: body.isolation ?? isolation)
    )
    return attachClosure(
      SignalSlot(target, place, fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }

  /// Connects an `async` closure with a target.
  ///
  /// ```swift
  /// player.scoreChanged.connect(board) { board, score in await board.upload(score) }
  /// ```
  ///
  /// The closure runs on the isolation around it, or on no actor if there is none. It runs later,
  /// in a task, one call at a time, in order. `target` is held weakly, and strongly while a call is
  /// in progress; the connection ends with it ([guarantee 8](doc:Guarantees)). Cancelling the
  /// observer cancels the task.
  ///
  /// Take this form only if the slot must wait. If the closure only calls a method of the target,
  /// connect the method itself. The parameters, the result and the complexity are as for a
  /// synchronous closure with a target.
  @inlinable @discardableResult
  public func connect<Target: AnyObject & Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, Payload) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(async: target, RequestedPlace(async: body.isolation), fileID, line) {
        target, payload in
        await body(target, payload)
      })
  }

  /// Connects an `async` function value with a target that stays with its caller, which runs where
  /// `connect` is called.
  ///
  /// See the form without a target.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable>(
    _ target: Target,
    _ nonsendingFunction:
      nonisolated(nonsending) @escaping @Sendable (Target, Payload) async -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachClosure(
      SignalSlot(async: target, RequestedPlace(async: isolation), fileID, line, nonsendingFunction))
  }

  /// Connects an `async` closure with a target and both arguments; the rest is as for the whole
  /// payload.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, First: Sendable, Second: Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, First, Second) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachClosure(
      SignalSlot(async: target, RequestedPlace(async: body.isolation), fileID, line) {
        target, payload in
        await body(target, payload.0, payload.1)
      })
  }
}

// These forms belong to signals, and not to every source. Behind an operator, the compiler may not
// know the payload yet. For a closure with a mistake, it would try these forms, too, and report
// another mistake.
extension Signal where Payload == Void {
  /// Connects a closure with a target to a `Signal<Void>`; the rest is as for other signals.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject>(
    _ target: Target,
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Target) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let (call, place) = (
      onItsIsolation(body), RequestedPlace(closure: body.isolation, stayingOn: isolation)
    )
    return attachClosure(
      SignalSlot(target, place, fileID, line) { target, _ in
        call(target)
      })
  }

  /// Connects a closure with a `Sendable` target to a `Signal<Void>`; the rest is as for other
  /// signals.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Target) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let (call, place) = (
      onItsIsolation(body), RequestedPlace(isolation: body.isolation ?? isolation)
    )
    return attachClosure(
      SignalSlot(target, place, fileID, line) { target, _ in
        call(target)
      })
  }

  /// Connects an `async` closure with a target to a `Signal<Void>`; the rest is as for other
  /// signals.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Target) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attachClosure(
      SignalSlot(async: target, RequestedPlace(async: body.isolation), fileID, line) { target, _ in
        await body(target)
      })
  }
}
