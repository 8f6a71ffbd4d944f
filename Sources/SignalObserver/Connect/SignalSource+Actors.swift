// Closures that run on the actor they are given.

extension SignalSource where Payload: Sendable {
  /// Connects a closure that runs on the actor it is given: `connect(store) { store, score in
  /// store.add(score) }`.
  ///
  /// Synchronous code of the actor, first in, first out, whichever threads emit; before `invoke`
  /// returns if the emission is made on the actor and nothing is pending for the slot (guarantee
  /// 13). A burst of emissions costs one task, not one each. The actor is held weakly.
  @inlinable
  @discardableResult
  public func connect<Target: Actor>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target, Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(target, calling: onItsActor(body), .target, fileID, line))
  }

  /// Connects a closure that is given its target only, which fits every signal.
  ///
  /// It runs on that target, which is an actor.
  @inlinable
  @discardableResult
  public func connect<Target: Actor>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let call = onItsActor(body)
    return attach(
      SignalSlot(target, .target, fileID, line) { target, _ in call(target) })
  }

  /// Connects an `async` closure that runs on the actor it is given, one call at a time, in
  /// order.
  ///
  /// The actor is held strongly while a call is in progress. Cancelling the observer cancels the
  /// task in which it runs.
  @inlinable
  @discardableResult
  public func connect<Target: Actor>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target, Payload) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, .target, fileID, line) { target, payload in
        await body(target, payload)
      })
  }

  /// Connects a closure that is given its target only, which fits every signal.
  ///
  /// It is `async`, and runs on that target, which is an actor.
  @inlinable
  @discardableResult
  public func connect<Target: Actor>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(async: target, .target, fileID, line) { target, _ in
        await body(target)
      })
  }
}

extension SignalSource {
  /// Connects a closure that is given its target and two arguments.
  ///
  /// It runs on that target, which is an actor.
  @inlinable
  @discardableResult
  public func connect<Target: Actor, First: Sendable, Second: Sendable>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target, First, Second) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    let call = onItsActor(body)
    return attach(
      SignalSlot(target, .target, fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }

  /// Connects a closure that is given its target and two arguments.
  ///
  /// It is `async`, and runs on that target, which is an actor.
  @inlinable
  @discardableResult
  public func connect<Target: Actor, First: Sendable, Second: Sendable>(
    _ target: Target, _ body: @escaping @Sendable (isolated Target, First, Second) async -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(async: target, .target, fileID, line) { target, payload in
        await body(target, payload.0, payload.1)
      })
  }
}
