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
  public func connect<Target: AnyObject & Sendable, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(
        async: target, Delivery(async: method(target).isolation), fileID, line
      ) { target, payload in
        _ = await method(target)(payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on its own isolation, one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject & Sendable, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(
        async: target, Delivery(async: method(target).isolation), fileID, line
      ) { target, _ in
        _ = await method(target)()
      })
  }

  /// Connects an `async` method that stays with its caller: `nonisolated(nonsending)`, which is
  /// what every `async` method of a plain class is where that upcoming feature is on.
  ///
  /// It runs on the isolation that `connect` is called from, or on the main actor if there is
  /// none, one call at a time, in order.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    _ method:
      @escaping @Sendable (Target) -> nonisolated(nonsending) (Payload) async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let home: any Actor = isolation ?? MainActor.shared
    return attach(
      SignalSlot(async: target, Delivery(async: home), fileID, line) { target, payload in
        _ = await method(target)(payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It is `async`, stays on the isolation that `connect` is called from, and runs one call at a
  /// time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    _ method:
      @escaping @Sendable (Target) -> nonisolated(nonsending) () async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let home: any Actor = isolation ?? MainActor.shared
    return attach(
      SignalSlot(async: target, Delivery(async: home), fileID, line) { target, _ in
        _ = await method(target)()
      })
  }

  /// Connects an `async` method that belongs to no actor, of a `Sendable` class; one call at a
  /// time, in order.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent @Sendable (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, Delivery(async: nil), fileID, line) { target, payload in
        await dropResult(of: method(target), payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It is `async`, belongs to no actor, and runs one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent @Sendable () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, Delivery(async: nil), fileID, line) { target, _ in
        await dropResult(of: method(target))
      })
  }

  /// Connects an `async` method that leaves the isolation of its caller, of a class that is not
  /// `Sendable`.
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, Delivery(async: nil), fileID, line) { target, payload in
        await dropResult(of: leavingIsolation(method(target)), payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It is `async`, and leaves the isolation of its caller, although the class is not `Sendable`.
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, Delivery(async: nil), fileID, line) { target, _ in
        await dropResult(of: leavingIsolation(method(target)))
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
  public func connect<
    Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result: Sendable
  >(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(
        async: target, Delivery(async: method(target).isolation), fileID, line
      ) { target, payload in
        _ = await method(target)(payload.0, payload.1)
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It is `async`, stays on the isolation that `connect` is called from, and runs one call at a
  /// time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method:
      @escaping @Sendable (Target) -> nonisolated(nonsending) (First, Second) async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    let home: any Actor = isolation ?? MainActor.shared
    return attach(
      SignalSlot(async: target, Delivery(async: home), fileID, line) { target, payload in
        _ = await method(target)(payload.0, payload.1)
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It is `async`, belongs to no actor, and runs one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent @Sendable (First, Second) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(async: target, Delivery(async: nil), fileID, line) { target, payload in
        await dropResult(of: method(target), payload.0, payload.1)
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It is `async`, and leaves the isolation of its caller, although the class is not `Sendable`.
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @inlinable
  @discardableResult
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
