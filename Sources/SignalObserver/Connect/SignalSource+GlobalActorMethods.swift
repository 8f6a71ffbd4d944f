// Methods of global actors other than the main actor, by name.

extension SignalSource {
  /// Connects a method of a global actor, which runs there, wherever `connect` is called and the
  /// signal emits.
  ///
  /// ```swift
  /// player.scoreChanged.connect(index, Index.add)  // @Background final class Index
  /// ```
  ///
  /// It runs before `invoke` returns if the emission is on that actor and nothing must be delivered
  /// there first. Otherwise it runs later, in order ([guarantee 13](doc:Guarantees)). `target` is
  /// held weakly, and strongly only while its method runs; the connection ends with it
  /// ([guarantee 8](doc:Guarantees)).
  ///
  /// Each delivery allocates. If the slot runs often, pass a closure, whose deliveries do not:
  /// `connect(target) { @Background me, payload in … }`.
  ///
  /// The parameters, the result and the complexity are as for a method of a plain class.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ globalActorMethod:
      @escaping @Sendable (Target) -> @isolated(any) (Payload) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(
        target, RequestedPlace(isolation: globalActorMethod(target).isolation), fileID, line
      ) { target, payload in
        _ = onItsIsolation(globalActorMethod(target))(payload)
      })
  }

  /// Connects a method of a global actor with two parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ globalActorMethodOfTwo:
      @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(
        target, RequestedPlace(isolation: globalActorMethodOfTwo(target).isolation), fileID, line
      ) { target, payload in
        _ = onItsIsolation(globalActorMethodOfTwo(target))(payload.0, payload.1)
      })
  }

  /// Connects a method of a global actor without parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ globalActorMethodWithoutParameters:
      @escaping @Sendable (Target) -> @isolated(any) () -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(
        target, RequestedPlace(isolation: globalActorMethodWithoutParameters(target).isolation),
        fileID,
        line
      ) { target, _ in
        _ = onItsIsolation(globalActorMethodWithoutParameters(target))()
      })
  }
}
