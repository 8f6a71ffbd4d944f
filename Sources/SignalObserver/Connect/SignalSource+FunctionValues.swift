// Function values that are not `Sendable`, such as `object.method`.
//
// A form with a target has one more parameter, `column`, which the compiler fills in. Of two forms
// that fit, the compiler prefers the one with fewer parameters: that for `Sendable` closures.

extension SignalSource {
  /// Connects a function value that is not `Sendable`, such as `object.method`, and keeps it.
  ///
  /// ```swift
  /// player.scoreChanged.connect(keeping: object.show)  // keeps object
  /// ```
  ///
  /// Take this form if nobody else keeps the object, and the connection should. Otherwise write
  /// `connect(object, Type.method)`, which holds the object weakly, and ends with it. The function
  /// runs on its own isolation. If it has none, it runs on the isolation of the caller, or else on
  /// the main queue. There, it runs when a closure does ([guarantee 13](doc:Guarantees)). The
  /// connection keeps the function until it ends: with ``SignalObserver/cancel()``, or with the
  /// emitter.
  ///
  /// > Important: From code on no actor, you promise that what the function captures is used only
  /// where it runs: on the main queue, if it has no isolation. From code on an actor, the compiler
  /// checks it.
  ///
  /// `function` takes the payload, a tuple if there are two arguments. The other parameters, the
  /// result and the complexity are as for a method.
  @inlinable @discardableResult
  public func connect(
    keeping function: @escaping @isolated(any) (Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    let place = RequestedPlace(isolation: function.isolation ?? isolation)
    return attachClosure(SignalSlot(place, fileID, line, onItsIsolation(function)))
  }

  /// Connects a function value that is not `Sendable`, without saying that it is kept.
  ///
  /// Without this form, the compiler would take the one for payloads that are not `Sendable`, and
  /// the slot would run inline.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message:
      "the connection keeps the function and its object alive: write connect(object, Type.method), or connect(keeping: function) to keep them"
  )
  @discardableResult
  public func connect(
    _ function: @escaping @isolated(any) (Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    connect(keeping: function, isolation: isolation, fileID: fileID, line: line)
  }

  /// Connects a function value that is not `Sendable`, with a target, which the function gets with
  /// the payload.
  ///
  /// Use this for a function that is stored in a variable, and a closure or a method by its name
  /// otherwise. The function runs where and when it runs without a target. It is kept until the
  /// connection ends. `target` is held weakly, and the connection ends with it
  /// ([guarantee 8](doc:Guarantees)). The parameters are as for a closure with a target.
  ///
  /// > Important: From code on no actor, you promise that what the function captures, and a target
  /// that is not `Sendable`, are used only where the function runs. From code on an actor, the
  /// compiler checks it.
  @inlinable @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ function: @escaping @isolated(any) (Target, Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
  ) -> SignalObserver where Payload: Sendable {
    let place = RequestedPlace(closure: function.isolation, stayingOn: isolation)
    return attachClosure(
      SignalSlot(target, calling: onItsIsolation(function), place, fileID, line))
  }

  /// Connects a function value with a target and both arguments; the rest is as for the whole
  /// payload.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable>(
    _ target: Target,
    _ function: @escaping @isolated(any) (Target, First, Second) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
  ) -> SignalObserver where Payload == (First, Second) {
    let place = RequestedPlace(closure: function.isolation, stayingOn: isolation)
    let call = onItsIsolation(function)
    return attachClosure(
      SignalSlot(target, place, fileID, line) { target, payload in
        call(target, payload.0, payload.1)
      })
  }
}

// For signals alone: see SignalSource+Closures.swift.
extension Signal where Payload == Void {
  /// Connects a function value with a target to a `Signal<Void>`; the rest is as for other signals.
  @inlinable @discardableResult @_disfavoredOverload
  public func connect<Target: AnyObject>(
    _ target: Target, _ function: @escaping @isolated(any) (Target) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
  ) -> SignalObserver {
    let place = RequestedPlace(closure: function.isolation, stayingOn: isolation)
    let call = onItsIsolation(function)
    return attachClosure(
      SignalSlot(target, place, fileID, line) { target, _ in call(target) })
  }
}
