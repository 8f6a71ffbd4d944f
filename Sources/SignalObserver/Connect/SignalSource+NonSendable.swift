// Signals whose payload is not `Sendable`: every slot runs inline. Each form has a counterpart for
// `Sendable` payloads, which the compiler prefers where it applies.

extension SignalSource {
  /// Connects a method to a signal whose payload is not `Sendable`: it runs inline.
  ///
  /// ```swift
  /// canvas.drawn.connect(window, Window.show)  // class Picture is not Sendable
  /// ```
  ///
  /// Such a signal stays in the isolation domain where it was made, and so do its emissions. The
  /// slot runs before `invoke` returns. There is no form with a queue. `target` is held weakly, and
  /// the connection ends with it ([guarantee 8](doc:Guarantees)). Cancelled elsewhere, the
  /// connection releases its closure in that domain only ([guarantee 9](doc:Guarantees)).
  ///
  /// The parameters, the result and the complexity are as for a payload that is `Sendable`.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target, @TypeDotMethod _ confinedMethod: @escaping (Target) -> (Payload) -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attachMethod(
      SignalSlot(target, .confined(to: isolation), fileID, line) { target, payload in
        _ = confinedMethod(target)(payload)
      })
  }

  /// Connects a method without parameters, inline; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ confinedMethodWithoutParameters: @escaping (Target) -> () -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attachMethod(
      SignalSlot(target, .confined(to: isolation), fileID, line) { target, _ in
        _ = confinedMethodWithoutParameters(target)()
      })
  }

  /// Connects a method with two parameters, inline; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First, Second, Result>(
    _ target: Target,
    @TypeDotMethod _ confinedMethodOfTwo: @escaping (Target) -> (First, Second) -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(target, .confined(to: isolation), fileID, line) { target, payload in
        _ = confinedMethodOfTwo(target)(payload.0, payload.1)
      })
  }

  /// Connects a method of the main actor to a signal whose payload is not `Sendable`: it runs
  /// inline.
  ///
  /// The signal belongs to the main actor, because it is connected there, and emits on it.
  /// Everything else is as for a method of a plain class.
  @inlinable
  @MainActor
  @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ confinedMainActorMethod:
      @escaping @Sendable (Target) -> @MainActor (Payload) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attachMethod(
      SignalSlot(target, .confined(onMain: true), fileID, line) { target, payload in
        _ = onItsIsolation(confinedMainActorMethod(target))(payload)
      })
  }

  /// Connects a method of the main actor without parameters, inline; the rest is as for one
  /// parameter.
  @_documentation(visibility: internal)
  @inlinable
  @MainActor
  @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ confinedMainActorMethodWithoutParameters:
      @escaping @Sendable (Target) -> @MainActor () -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attachMethod(
      SignalSlot(target, .confined(onMain: true), fileID, line) { target, _ in
        _ = onItsIsolation(confinedMainActorMethodWithoutParameters(target))()
      })
  }

  /// Connects a method of the main actor with two parameters, inline; the rest is as for one
  /// parameter.
  @_documentation(visibility: internal)
  @inlinable
  @MainActor
  @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First, Second, Result>(
    _ target: Target,
    @TypeDotMethod _ confinedMainActorMethodOfTwo:
      @escaping @Sendable (Target) -> @MainActor (First, Second) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(target, .confined(onMain: true), fileID, line) { target, payload in
        _ = onItsIsolation(confinedMainActorMethodOfTwo(target))(payload.0, payload.1)
      })
  }

  /// Connects a method of a global actor to a signal whose payload is not `Sendable`: it runs
  /// inline.
  ///
  /// What is held is as for a method of a plain class.
  /// - Precondition: It is connected on that actor, to which the signal then belongs.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ confinedGlobalActorMethod:
      @escaping @Sendable (Target) -> @isolated(any) (Payload) -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    requireIsolation(confinedGlobalActorMethod(target).isolation, isolation)
    return attachMethod(
      SignalSlot(target, .confined(to: isolation), fileID, line) { target, payload in
        _ = onItsIsolation(confinedGlobalActorMethod(target))(payload)
      })
  }

  /// Connects a method of a global actor without parameters, inline; the rest is as for one
  /// parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ confinedGlobalActorMethodWithoutParameters:
      @escaping @Sendable (Target) -> @isolated(any) () -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    requireIsolation(confinedGlobalActorMethodWithoutParameters(target).isolation, isolation)
    return attachMethod(
      SignalSlot(target, .confined(to: isolation), fileID, line) { target, _ in
        _ = onItsIsolation(confinedGlobalActorMethodWithoutParameters(target))()
      })
  }

  /// Connects a method of a global actor with two parameters, inline; the rest is as for one
  /// parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, First, Second, Result>(
    _ target: Target,
    @TypeDotMethod _ confinedGlobalActorMethodOfTwo:
      @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    requireIsolation(confinedGlobalActorMethodOfTwo(target).isolation, isolation)
    return attachMethod(
      SignalSlot(target, .confined(to: isolation), fileID, line) { target, payload in
        _ = onItsIsolation(confinedGlobalActorMethodOfTwo(target))(payload.0, payload.1)
      })
  }

  /// Connects a closure to a signal whose payload is not `Sendable`: it runs inline.
  ///
  /// It runs before `invoke` returns. It is kept, with what it captures, until the connection ends:
  /// with ``SignalObserver/cancel()``, or with the emitter. The parameters are as for a payload
  /// that is `Sendable`.
  ///
  /// - Precondition: Code of an actor is connected on that actor, to which the signal then belongs.
  @inlinable @discardableResult
  public func connect(
    _ confinedBody: @escaping @isolated(any) (Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    requireIsolation(confinedBody.isolation, isolation)
    return attachClosure(
      SignalSlot(.confined(to: isolation), fileID, line, onItsIsolation(confinedBody)))
  }

  /// Connects a closure with a target to a signal whose payload is not `Sendable`: it runs inline.
  ///
  /// It runs before `invoke` returns. `target` is held weakly, and the connection ends with it
  /// ([guarantee 8](doc:Guarantees)). Inside the closure, use the parameter: a capture would hold
  /// the target strongly. The parameters are as for a payload that is `Sendable`.
  ///
  /// - Precondition: Code of an actor is connected on that actor, to which the signal then belongs.
  @inlinable @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ confinedBody: @escaping @isolated(any) (Target, Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
  ) -> SignalObserver {
    requireIsolation(confinedBody.isolation, isolation)
    return attachClosure(
      SignalSlot(
        target, calling: onItsIsolation(confinedBody), .confined(to: isolation), fileID, line))
  }

  /// Connects a closure with a target and both arguments, to run inline; the rest is as for the
  /// whole payload.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First, Second>(
    _ target: Target, _ confinedBody: @escaping @isolated(any) (Target, First, Second) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
  ) -> SignalObserver where Payload == (First, Second) {
    requireIsolation(confinedBody.isolation, isolation)
    let call = onItsIsolation(confinedBody)
    return attachClosure(
      SignalSlot(target, .confined(to: isolation), fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }
}
