public import Dispatch

// Methods and closures on a queue of their own, and inline.

extension DispatchQueue? {
  /// No queue: the slot runs on the emitting thread, before `invoke` returns.
  ///
  /// The same as `nil`, with a name: `connect(label, Label.show, .inline)`.
  public static var inline: DispatchQueue? { nil }
}

extension SignalSource where Payload: Sendable {
  /// Connects a closure that runs on `queue`: `connect(on: queue) { score in … }`.
  ///
  /// Delivery is as for a method with a queue: always later on a queue, before `invoke` returns with
  /// `.inline`.
  @inlinable
  @discardableResult
  public func connect(
    on queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ body: @escaping @Sendable (Payload) -> Void
  ) -> SignalObserver {
    attach(SignalSlot(Delivery(queue: queue), fileID, line, body))
  }

  /// Connects a closure that is given its target and runs on `queue`.
  ///
  /// `target` is held weakly, and the connection ends with it. Delivery is as for a method with a
  /// queue.
  ///
  /// > Important: A class that is not `Sendable` is given to the closure on `queue`, or on the
  /// emitting thread, wherever it is connected. That nobody uses it elsewhere at that time is your
  /// promise: the compiler does not check it.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, on queue: DispatchQueue?, fileID: StaticString = #fileID,
    line: UInt32 = #line, _ body: @escaping @Sendable (Target, Payload) -> Void
  ) -> SignalObserver {
    attach(
      SignalSlot(target, calling: body, Delivery(queue: queue), fileID, line))
  }
}

extension SignalSource {
  /// Connects a closure that is given its target and two arguments, and runs on `queue`.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable>(
    _ target: Target, on queue: DispatchQueue?, fileID: StaticString = #fileID,
    line: UInt32 = #line, _ body: @escaping @Sendable (Target, First, Second) -> Void
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(target, Delivery(queue: queue), fileID, line) { target, payload in
        body(target, payload.0, payload.1)
      })
  }
}

extension SignalSource where Payload: Sendable {
  /// Connects a method of `target`, to run on `queue`.
  ///
  /// On a queue, the slot always runs later, also when the emission is made there (guarantee 13):
  /// every emission is delivered, in order, one call at a time, on a concurrent queue too
  /// (guarantees 6 and 14). With `nil`, it runs inline: on the emitting thread, before `invoke`
  /// returns, possibly on several threads at once.
  ///
  /// A method of a global actor takes no queue: it runs on its actor.
  ///
  /// > Important: A class that is not `Sendable` is called on `queue`, or on the emitting thread,
  /// wherever it is connected. That nobody uses it elsewhere at that time is your promise: the
  /// compiler does not check it.
  ///
  /// - Parameters:
  ///   - target: The object whose method is called, held weakly.
  ///   - method: The method, private ones included. A value that it returns is dropped.
  ///   - queue: Where the method runs, or `nil` for the emitting thread. Held until the
  ///     connection ends.
  ///   - fileID: Where `connect` is called, for the signal's debug description.
  ///   - line: Where `connect` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised.
  @inlinable
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (Payload) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(target, Delivery(queue: queue), fileID, line) { target, payload in
        _ = method(target)(payload)
      })
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on `queue`, or inline if that is `nil`.
  @inlinable
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> () -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(target, Delivery(queue: queue), fileID, line) { target, _ in
        _ = method(target)()
      })
  }

  /// Connects a method of the main actor, which runs there and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor (Payload) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on the main actor, and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor () -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method of a global actor, which runs there and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) (Payload) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters, which fits every signal.
  ///
  /// It runs on its global actor, and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject & Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) () -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a closure with a queue as its target.
  ///
  /// The slot does not run on that queue. Where the closure is given the payload only, the queue
  /// would be taken for it, and nobody would say so.
  @available(
    *, deprecated,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ target: DispatchQueue,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (DispatchQueue) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let call = onItsIsolation(body)
    return attach(
      SignalSlot(target, Delivery(isolation: body.isolation), fileID, line) { target, _ in
        call(target)
      })
  }

  /// Connects a closure with a queue as its target, which it is given with the payload.
  ///
  /// The slot does not run on that queue.
  @available(
    *, deprecated,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ target: DispatchQueue,
    @_inheritActorContext(always) _ body:
      @escaping @isolated(any) @Sendable (DispatchQueue, Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(
        target, calling: onItsIsolation(body), Delivery(isolation: body.isolation), fileID, line))
  }

  /// Refuses a queue before a closure that is given the payload.
  @available(
    *, unavailable,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ queue: DispatchQueue, _ body: @Sendable (Payload) -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a queue before a closure without parameters.
  @available(
    *, unavailable,
    message:
      "a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }"
  )
  @discardableResult
  public func connect(
    _ queue: DispatchQueue, _ body: @Sendable () -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method whose parameters are not those of the signal.
  @available(
    *, unavailable,
    message:
      "the method takes other parameters than the signal has: a slot takes all of them or none; else write map(target, Type.method, { … }, queue)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, _ method: (Target) -> (repeat each Argument) -> Result,
    _ queue: DispatchQueue?
  ) -> SignalObserver {
    fatalError("unavailable")
  }
}

extension SignalSource {
  /// Connects a method with two parameters.
  ///
  /// It runs on `queue`, or inline if that is `nil`.
  @inlinable
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (First, Second) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(target, Delivery(queue: queue), fileID, line) { target, payload in
        _ = method(target)(payload.0, payload.1)
      })
  }

  /// Connects a method with two parameters.
  ///
  /// It runs on the main actor, and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @MainActor (First, Second) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters.
  ///
  /// It runs on its global actor, and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write connect(target, Type.method)"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload == (First, Second) {
    connect(target, method, fileID: fileID, line: line)
  }
}
