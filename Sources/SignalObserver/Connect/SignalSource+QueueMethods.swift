public import Dispatch

// Methods by name on a queue, and inline.

extension SignalSource {
  /// Connects a method of `target`, to run on `queue`, or inline.
  ///
  /// ```swift
  /// player.scoreChanged.connect(log, Log.write, queue)  // later, on the queue
  /// player.scoreChanged.connect(log, Log.write, .inline)  // now, on this thread
  /// ```
  ///
  /// On a queue, the slot always runs later, even if the emission is made there
  /// ([guarantee 13](doc:Guarantees)). Every emission is delivered, in order, one call at a time,
  /// even on a concurrent queue ([guarantees 6 and 14](doc:Guarantees)). With `.inline`, or `nil`,
  /// the slot runs on the emitting thread, before `invoke` returns. If threads emit at
  /// the same time, their calls may overlap.
  ///
  /// `target` is held weakly, and strongly only while its method runs; the connection ends with it
  /// ([guarantee 8](doc:Guarantees)).
  ///
  /// Use this form to choose the place. Without a queue, a method runs on the isolation of the
  /// caller, or on the main queue if there is none. A method of a global actor takes no queue: it
  /// runs on its actor.
  ///
  /// > Important: The method runs on `queue`, or on the emitting thread, wherever it is connected.
  /// > If the class is not `Sendable`, you promise that nobody uses the object elsewhere at that
  /// > time. The compiler does not check it.
  ///
  /// - Parameters:
  ///   - target: The object whose method is called, held weakly.
  ///   - method: The method, private ones included. A value that it returns is dropped.
  ///   - queue: Where the slot runs: a queue, or `.inline`.
  ///   - isolation: Where `connect` is called. Leave it out: the compiler fills it in. It
  ///     keeps the target in the domain of the caller, and lets the compiler prefer the form for a
  ///     method of a global actor.
  ///   - fileID: Where `connect` is called, for the signal's debug description.
  ///   - line: Where `connect` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Complexity: As for a method without a queue.
  @inlinable @_disfavoredOverload @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (Payload) -> Result,
    _ queue: DispatchQueue?, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(target, RequestedPlace(queue: queue), fileID, line) { target, payload in
        _ = method(target)(payload)
      })
  }

  /// Connects a method with two parameters, on `queue` or inline; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target, _ methodOfTwo: @escaping @Sendable (Target) -> (First, Second) -> Result,
    _ queue: DispatchQueue?, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attachMethod(
      SignalSlot(target, RequestedPlace(queue: queue), fileID, line) { target, payload in
        _ = methodOfTwo(target)(payload.0, payload.1)
      })
  }

  /// Connects a method without parameters, on `queue` or inline; the rest is as for one parameter.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ methodWithoutParameters: @escaping @Sendable (Target) -> () -> Result,
    _ queue: DispatchQueue?, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot(target, RequestedPlace(queue: queue), fileID, line) { target, _ in
        _ = methodWithoutParameters(target)()
      })
  }
}
