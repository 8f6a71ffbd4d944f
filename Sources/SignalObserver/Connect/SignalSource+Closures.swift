// Closures, alone and with a target.

extension SignalSource where Payload: Sendable {
  /// Connects a closure, which runs on the isolation of its surroundings, or on the main queue if
  /// they have none.
  ///
  /// It runs before `invoke` returns if the emission is already there and nothing is pending for
  /// the slot, else later, in order (guarantee 13). The closure is kept until the connection
  /// ends: with ``SignalObserver/cancel()``, or with the emitter. For one that ends with an
  /// object, use `connect(target) { me, payload in … }`, which needs no `[weak self]` either.
  ///
  /// - Parameters:
  ///   - body: The closure. Two parameters fit a signal with two arguments.
  ///   - fileID: Where `connect` is called, for the signal's debug description.
  ///   - line: Where `connect` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised.
  @inlinable
  @discardableResult
  public func connect(
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(Delivery(isolation: body.isolation), fileID, line, onItsIsolation(body)))
  }

  /// Connects a closure without parameters, which fits every signal.
  ///
  /// It runs on the isolation of its surroundings, or on the main queue.
  @inlinable
  @discardableResult
  public func connect(
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable () -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(Delivery(isolation: body.isolation), fileID, line) { _ in call() })
  }

  /// Connects an `async` closure, which runs on the isolation of its surroundings, one call at a
  /// time, in order.
  ///
  /// Cancelling the observer cancels the task in which it runs.
  @inlinable
  @discardableResult
  public func connect(
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Payload) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: Delivery(async: body.isolation), fileID, line) { payload in
        await body(payload)
      })
  }

  /// Connects an `async` closure without parameters, which fits every signal.
  ///
  /// It runs one call at a time, in order.
  @inlinable
  @discardableResult
  public func connect(
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable () async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: Delivery(async: body.isolation), fileID, line) { _ in
        await body()
      })
  }

  /// Connects a closure that is given its target: `connect(self) { me, score in me.show(score)
  /// }`.
  ///
  /// `target` is held weakly, so the closure should use the one that it is given. It runs on the
  /// isolation of its surroundings, or on the main queue if they have none; before `invoke`
  /// returns if the emission is already there and nothing is pending for the slot, else later, in
  /// order (guarantee 13). The connection ends with the target.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(
        target, calling: onItsIsolation(body), Delivery(isolation: body.isolation), fileID, line))
  }

  /// Connects a closure that is given its target only, which fits every signal.
  ///
  /// It runs on the isolation of its surroundings, or on the main queue.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target,
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Target) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, Delivery(isolation: body.isolation), fileID, line) { target, _ in
        call(target)
      })
  }

  /// Connects an `async` closure that is given its target.
  ///
  /// It runs on the isolation of its surroundings, one call at a time, in order. `target` is held
  /// strongly while a call is in progress. Cancelling the observer cancels the task in which it
  /// runs.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject & Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, Payload) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, Delivery(async: body.isolation), fileID, line) { target, payload in
        await body(target, payload)
      })
  }

  /// Connects a closure that is given its target only, which fits every signal.
  ///
  /// It is `async`, and runs one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject & Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body: @escaping @isolated(any) @Sendable (Target) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, Delivery(async: body.isolation), fileID, line) { target, _ in
        await body(target)
      })
  }

  /// Connects a function value that is not `Sendable`, such as `object.method`.
  ///
  /// It runs on the isolation that it has, else on the one that `connect` is called from, else on
  /// the main queue. It keeps what it is bound to alive: connect `Type.method` with a target for
  /// a connection that does not.
  @inlinable
  @discardableResult
  public func connect(
    _ body: @escaping @isolated(any) (Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    return attach(SignalSlot(delivery, fileID, line, onItsIsolation(body)))
  }

  /// Connects a function value without parameters that is not `Sendable`.
  ///
  /// It runs on the isolation that it has, else on the one that `connect` is called from, else on
  /// the main queue.
  @inlinable
  @discardableResult
  public func connect(
    _ body: @escaping @isolated(any) () -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    let call = onItsIsolation(body)
    return attach(SignalSlot(delivery, fileID, line) { _ in call() })
  }

  /// Connects a function value that is not `Sendable`, and is given its target.
  ///
  /// It runs on the isolation that it has, else on the one that `connect` is called from, else on
  /// the main queue.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ body: @escaping @isolated(any) (Target, Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    return attach(
      SignalSlot(target, calling: onItsIsolation(body), delivery, fileID, line))
  }

  /// Connects a closure that is given its target only, which fits every signal.
  ///
  /// It is not `Sendable`, and runs on the isolation that it has, or that `connect` is called from.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ body: @escaping @isolated(any) (Target) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, delivery, fileID, line) { target, _ in call(target) })
  }
}

extension SignalSource {
  /// Connects a closure that is given its target and two arguments.
  ///
  /// It runs on the isolation of its surroundings, or on the main queue.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, First, Second) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, Delivery(isolation: body.isolation), fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }

  /// Connects a closure that is given its target and two arguments.
  ///
  /// It is `async`, and runs one call at a time.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject & Sendable, First: Sendable, Second: Sendable>(
    _ target: Target,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (Target, First, Second) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(async: target, Delivery(async: body.isolation), fileID, line) { target, payload in
        await body(target, payload.0, payload.1)
      })
  }

  /// Connects a closure that is given its target and two arguments.
  ///
  /// It is not `Sendable`, and runs on the isolation that it has, or that `connect` is called from.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable>(
    _ target: Target, _ body: @escaping @isolated(any) (Target, First, Second) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    let delivery = Delivery(isolation: body.isolation ?? isolation)
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, delivery, fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }

  /// Refuses a target that cannot be held weakly, of a closure that is given it.
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

  /// Refuses a target that cannot be held weakly, of a closure that is given it only.
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

  /// Refuses a target that cannot be held weakly, of a closure that is given it and two arguments.
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
}
