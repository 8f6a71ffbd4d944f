// Methods of the main actor, by name.

extension SignalSource {
  /// Connects a method of the main actor, which runs there, wherever `connect` is called and the
  /// signal emits.
  ///
  /// ```swift
  /// player.scoreChanged.connect(label, Label.show)  // runs on the main actor
  /// ```
  ///
  /// It runs before `invoke` returns if the emission is on the main actor and nothing must be
  /// delivered there first. Otherwise it runs later, in order ([guarantee 13](doc:Guarantees)).
  /// `target` is held weakly, and strongly only while its method runs; the connection ends with it
  /// ([guarantee 8](doc:Guarantees)).
  ///
  /// For code that is no method of the target, pass a closure:
  /// `connect(target) { @MainActor me, payload in … }`.
  ///
  /// The parameters, the result and the complexity are as for a method of a plain class.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ mainActorMethod:
      @escaping @Sendable (Target) -> @MainActor (Payload) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(mainActor: target, fileID, line) { target, payload in
        _ = mainActorMethod(target)(payload)
      })
  }

  /// Connects a method of the main actor with two parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ mainActorMethodOfTwo:
      @escaping @Sendable (Target) -> @MainActor (First, Second) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(mainActor: target, fileID, line) { target, payload in
        _ = mainActorMethodOfTwo(target)(payload.0, payload.1)
      })
  }

  /// Connects a method of the main actor without parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ mainActorMethodWithoutParameters:
      @escaping @Sendable (Target) -> @MainActor () -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(mainActor: target, fileID, line) { target, _ in
        _ = mainActorMethodWithoutParameters(target)()
      })
  }
}
