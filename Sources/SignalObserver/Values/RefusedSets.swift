public import Dispatch

// Sets by other names, or by the half that cannot set, and the answer to each.

extension SignalValue {
  /// Refuses a set by the half that cannot set.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "only the emitter sets the value: write name = value, or _name.set(value) in the type that declares it"
  )
  public func set(_ value: Value) { fatalError("unavailable") }

  /// Refuses another library's name for a set.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "only the emitter sets the value: write name = value, or _name.set(value) in the type that declares it"
  )
  public func send(_ value: Value) { fatalError("unavailable") }
}

extension EmitterValue {
  /// Refuses a closure that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "connect to the signal of the emitter: write $name.connect(…), or signal.connect(…)"
  )
  @discardableResult
  public func connect(
    on queue: DispatchQueue? = nil, _ body: (Value) async -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a closure with a target that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "connect to the signal of the emitter: write $name.connect(…), or signal.connect(…)"
  )
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ body: (Target, Value) async -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a method that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "connect to the signal of the emitter: write $name.connect(…), or signal.connect(…)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    _ target: Target, @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses another library's name for `set`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "to set and send a value, write set(…)"
  )
  public func accept(_ value: Value) { fatalError("unavailable") }

  /// Refuses another library's name for `set`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "to set and send a value, write set(…)"
  )
  public func onNext(_ value: Value) { fatalError("unavailable") }

  /// Refuses another library's name for `set`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "to set and send a value, write set(…)"
  )
  public func send(_ value: Value) { fatalError("unavailable") }

  /// Refuses the name by which an emitter without a value sends.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "to set and send a value, write set(…)"
  )
  public func invoke(_ value: Value) { fatalError("unavailable") }
}
