// Asynchronous methods of classes, by name. Those of actors are in SignalSource+Actors.swift.
//
// A `@concurrent` method also fits the form for methods that stay with their caller. That form
// therefore has one more parameter that the compiler fills in, `column`: the compiler prefers the
// form with fewer.

extension SignalSource {
  /// Connects an `async` method, which runs on its own isolation.
  ///
  /// ```swift
  /// player.scoreChanged.connect(board, Board.upload)  // @MainActor func upload(_: Int) async
  /// ```
  ///
  /// It always runs later, in a task. Calls are made one at a time, in order: the method gets the
  /// next payload when the call for the previous one has returned. A call that never returns holds
  /// back this slot only. Cancelling the observer cancels the task in which the method runs.
  ///
  /// `target` is held weakly, and strongly while its method runs, even while the method is
  /// suspended. The connection ends with it ([guarantee 8](doc:Guarantees)).
  ///
  /// The compiler takes this form for a method of a global actor. Other methods have forms of their
  /// own: those that are `nonisolated(nonsending)`, those that are `@concurrent`, and those of
  /// actors.
  ///
  /// The parameters, the result and the complexity are as for a synchronous method.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, Result: Sendable>(
    _ target: Target,
    @TypeDotMethod _ asyncMethod:
      @escaping @Sendable (Target) -> @isolated(any) (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(
        async: target, RequestedPlace(async: asyncMethod(target).isolation), fileID, line
      ) { target, payload in
        _ = await asyncMethod(target)(payload)
      })
  }

  /// Connects an `async` method with two parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<
    Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result: Sendable
  >(
    _ target: Target,
    @TypeDotMethod _ asyncMethodOfTwo:
      @escaping @Sendable (Target) -> @isolated(any) (First, Second) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(
        async: target, RequestedPlace(async: asyncMethodOfTwo(target).isolation), fileID, line
      ) { target, payload in
        _ = await asyncMethodOfTwo(target)(payload.0, payload.1)
      })
  }

  /// Connects an `async` method without parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, Result: Sendable>(
    _ target: Target,
    @TypeDotMethod _ asyncMethodWithoutParameters:
      @escaping @Sendable (Target) -> @isolated(any) () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(
        async: target, RequestedPlace(async: asyncMethodWithoutParameters(target).isolation),
        fileID, line
      ) { target, _ in
        _ = await asyncMethodWithoutParameters(target)()
      })
  }

  /// Connects an `async` method that is `nonisolated(nonsending)`, and so stays with its caller.
  ///
  /// With the upcoming feature `NonisolatedNonsendingByDefault`, each `async` method of a plain
  /// class is one.
  ///
  /// ```swift
  /// player.scoreChanged.connect(loader, Loader.load)  // from code on the main actor: there
  /// ```
  ///
  /// The method runs on the isolation of the caller, or on the main actor if there is none. It runs
  /// later, in a task, one call at a time, in order. What is held, and what cancelling does, is as
  /// for a method with an isolation of its own. The class need not be `Sendable`.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ nonsendingMethod:
      @escaping @Sendable (Target) -> nonisolated(nonsending) (Payload) async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
  ) -> SignalObserver where Payload: Sendable {
    let home: any Actor = isolation ?? MainActor.shared
    return attachMethod(
      SignalSlot(async: target, .actorTask(home), fileID, line) { target, payload in
        _ = await nonsendingMethod(target)(payload)
      })
  }

  /// Connects a method that stays with its caller and has two parameters; the rest is as for one.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ nonsendingMethodOfTwo:
      @escaping @Sendable (Target) -> nonisolated(nonsending) (First, Second) async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
  ) -> SignalObserver where Payload == (First, Second) {
    let home: any Actor = isolation ?? MainActor.shared
    return attachMethod(
      SignalSlot(async: target, .actorTask(home), fileID, line) { target, payload in
        _ = await nonsendingMethodOfTwo(target)(payload.0, payload.1)
      })
  }

  /// Connects a method that stays with its caller and has no parameters; the rest is as for one.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, Result>(
    _ target: Target,
    @TypeDotMethod _ nonsendingMethodWithoutParameters:
      @escaping @Sendable (Target) -> nonisolated(nonsending) () async -> Result,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
  ) -> SignalObserver where Payload: Sendable {
    let home: any Actor = isolation ?? MainActor.shared
    return attachMethod(
      SignalSlot(async: target, .actorTask(home), fileID, line) { target, _ in
        _ = await nonsendingMethodWithoutParameters(target)()
      })
  }

  /// Connects an `async` method of a `Sendable` class that is `@concurrent`, and so belongs to no
  /// actor.
  ///
  /// ```swift
  /// player.scoreChanged.connect(archive, Archive.write)  // @concurrent func write(_: Int) async
  /// ```
  ///
  /// The method runs later, in a task on no actor, one call at a time, in order. It may overlap
  /// with all other code, which is why the class is `Sendable`. What is held, and what cancelling
  /// does, is as for a method with an isolation of its own.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ concurrentMethod:
      @escaping @Sendable (Target) -> @concurrent @Sendable (Payload) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(async: target, .task, fileID, line) { target, payload in
        await dropResult(of: concurrentMethod(target), payload)
      })
  }

  /// Connects a `@concurrent` method with two parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ concurrentMethodOfTwo:
      @escaping @Sendable (Target) -> @concurrent @Sendable (First, Second) async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(async: target, .task, fileID, line) { target, payload in
        await dropResult(of: concurrentMethodOfTwo(target), payload.0, payload.1)
      })
  }

  /// Connects a `@concurrent` method without parameters; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target,
    @TypeDotMethod _ concurrentMethodWithoutParameters:
      @escaping @Sendable (Target) -> @concurrent @Sendable () async -> Result,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(async: target, .task, fileID, line) { target, _ in
        await dropResult(of: concurrentMethodWithoutParameters(target))
      })
  }
}
