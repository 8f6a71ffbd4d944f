// Methods by name: of plain classes, of the main actor, of other global actors.

extension SignalSource where Payload: Sendable {
  /// Connects a method of `target` by its name: `player.scoreChanged.connect(label, Label.show)`.
  ///
  /// A method of a plain class runs on the isolation that `connect` is called from, such as the
  /// main actor, or on the main queue if there is none. It runs before `invoke` returns if the
  /// emission is already there and nothing is pending for the slot, else later, in order
  /// (guarantee 13). A process in which nobody runs the main queue leaves such slots waiting for
  /// ever: pass a queue, or `nil`, there.
  ///
  /// `target` is held weakly, and strongly only while its method runs; the connection ends with
  /// it (guarantee 8). The observer may be dropped (guarantee 9). Connecting twice makes two
  /// connections.
  ///
  /// > Important: Connected from code that is on no actor, a class that is not `Sendable` is
  /// called on the main queue. That it is used there only is your promise; on an actor, the
  /// compiler keeps it for you.
  ///
  /// - Parameters:
  ///   - target: The object whose method is called.
  ///   - method: The method, private ones included. A value that it returns is dropped.
  ///   - isolation: Where `connect` is called. Leave it out: the compiler fills it in.
  ///   - fileID: Where `connect` is called, for the signal's debug description.
  ///   - line: Where `connect` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (Payload) -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(target, Delivery(isolation: isolation), fileID, line) { target, payload in
        _ = method(target)(payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// See ``connect(_:_:isolation:fileID:line:)``.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> () -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(target, Delivery(isolation: isolation), fileID, line) { target, _ in
        _ = method(target)()
      })
  }

  /// Connects a method of the main actor, which runs there wherever the signal emits.
  ///
  /// It runs before `invoke` returns if the emission is on the main actor and nothing is pending
  /// for the slot, else later, in order (guarantee 13). Lifetime is as for any method.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor (Payload) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(mainActor: target, fileID, line) { target, payload in
        _ = method(target)(payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on the main actor.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor () -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(mainActor: target, fileID, line) { target, _ in
        _ = method(target)()
      })
  }

  /// Connects a method of a global actor, which runs there wherever the signal emits.
  ///
  /// It runs before `invoke` returns if the emission is on that actor and nothing is pending for
  /// the slot, else later, in order (guarantee 13). Each delivery allocates: connect a closure
  /// where that matters.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) (Payload) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(
        target, Delivery(isolation: method(target).isolation), fileID, line
      ) { target, payload in
        _ = onItsIsolation(method(target))(payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on the global actor of the method.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) () -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(
        target, Delivery(isolation: method(target).isolation), fileID, line
      ) { target, _ in
        _ = onItsIsolation(method(target))()
      })
  }
}

extension SignalSource {
  /// Connects a method with two parameters.
  ///
  /// See ``connect(_:_:isolation:fileID:line:)``.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (First, Second) -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(target, Delivery(isolation: isolation), fileID, line) { target, payload in
        _ = method(target)(payload.0, payload.1)
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It runs on the main actor.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @MainActor (First, Second) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(mainActor: target, fileID, line) { target, payload in
        _ = method(target)(payload.0, payload.1)
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It runs on the global actor of the method.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(
        target, Delivery(isolation: method(target).isolation), fileID, line
      ) { target, payload in
        _ = onItsIsolation(method(target))(payload.0, payload.1)
      })
  }

  // The compiler looks at what is unavailable only where nothing else fits a call, so these neither
  // slow down nor change any call that compiles. Taken as `async`, a method of any isolation fits.

  /// Refuses a method of a type that cannot be held weakly.
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
}
