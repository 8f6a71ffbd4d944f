// Methods of plain classes, by name.

extension SignalSource {
  /// Connects a method of `target` by its name.
  ///
  /// ```swift
  /// player.scoreChanged.connect(self, Label.show)
  /// ```
  ///
  /// A method of a plain class runs on the isolation of the caller, such as the main actor, or on
  /// the main queue if there is none. It runs before `invoke` returns if the emission is already
  /// there and nothing must be delivered there first. Otherwise it runs later, in order
  /// ([guarantee 13](doc:Guarantees)). In a process that does not run its main queue, such slots
  /// wait for ever: pass a queue, or `.inline`, there.
  ///
  /// `target` is held weakly, and strongly only while its method runs; the connection ends with it
  /// ([guarantee 8](doc:Guarantees)). The observer may be dropped ([guarantee 9](doc:Guarantees)).
  /// Connecting twice makes two connections.
  ///
  /// Methods with other parameters connect in the same way, in each place: a method without
  /// parameters fits every signal, and one with two parameters fits a signal with two arguments.
  ///
  /// For code that is no method of the target, pass a closure:
  /// `connect(target) { me, payload in … }`. For another place, add a queue. For a part of the
  /// payload, use `map`.
  ///
  /// > Important: From code on no actor, a method of a class that is not `Sendable` runs on the
  /// main queue. You promise that the object is used only there. A synchronous method of a plain
  /// class is such code, even if an actor calls it. From code on an actor, the compiler checks it.
  ///
  /// - Parameters:
  ///   - target: The object whose method is called.
  ///   - method: The method, private ones included. A value that it returns is dropped.
  ///   - isolation: Where `connect` is called. Leave it out: the compiler fills it in.
  ///   - fileID: Where `connect` is called, for the signal's debug description.
  ///   - line: Where `connect` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised. The first change during an emission is O(*n*) in the slots.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target, @TypeDotMethod _ method: @escaping @Sendable (Target) -> (Payload) -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(target, RequestedPlace(isolation: isolation), fileID, line) { target, payload in
        _ = method(target)(payload)
      })
  }

  /// Connects a method with two parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ methodOfTwo: @escaping @Sendable (Target) -> (First, Second) -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(target, RequestedPlace(isolation: isolation), fileID, line) { target, payload in
        _ = methodOfTwo(target)(payload.0, payload.1)
      })
  }

  /// Connects a method without parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ methodWithoutParameters: @escaping @Sendable (Target) -> () -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(target, RequestedPlace(isolation: isolation), fileID, line) { target, _ in
        _ = methodWithoutParameters(target)()
      })
  }
}
