// Asynchronous methods by name, and those of actors.

extension SignalSource where Payload: Sendable {
  /// Connects an `async` method, which runs on the isolation that it was written for.
  ///
  /// One call at a time, in order: the next payload is handled when the call for the one before
  /// has returned. A call that never returns holds back this slot only. Cancelling the observer
  /// cancels the task in which the method runs.
  ///
  /// `target` is held strongly while its method runs, suspension included.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(
        async: target, Delivery(asyncIsolation: method(target).isolation), fileID, line
      ) { target, payload in
        _ = await method(target)(payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on its own isolation, one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(
        async: target, Delivery(asyncIsolation: method(target).isolation), fileID, line
      ) { target, _ in
        _ = await method(target)()
      })
  }

  /// Connects an `async` method of an actor, which runs on that actor, one call at a time, in
  /// order.
  ///
  /// Swift has no spelling for a synchronous method of an actor by its name: use `connect(actor)
  /// { me, payload in … }`, which needs no task either.
  @inlinable
  @discardableResult
  public func connect<Target: Actor, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (isolated Target) -> @Sendable (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, .target, fileID, line) { target, payload in
        _ = await method(target)(payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on the actor, one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: Actor, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (isolated Target) -> @Sendable () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, .target, fileID, line) { target, _ in
        _ = await method(target)()
      })
  }
}

extension SignalSource {
  /// Connects a method with two parameters.
  ///
  /// It runs on its own isolation, one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(
        async: target, Delivery(asyncIsolation: method(target).isolation), fileID, line
      ) { target, payload in
        _ = await method(target)(payload.0, payload.1)
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It runs on the actor, one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: Actor, First: Sendable, Second: Sendable, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (isolated Target) -> @Sendable (First, Second) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(async: target, .target, fileID, line) { target, payload in
        _ = await method(target)(payload.0, payload.1)
      })
  }
}
