public import Dispatch

// Slips, and the answer to each.

extension SignalSource {
  /// Refuses a closure that throws.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @discardableResult
  public func connect(_ body: (Payload) async throws -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method that throws.
  ///
  /// A method that does not throw fits this form, too. The form is disfavoured, so that another
  /// answer is given first.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a slot does not throw: handle the error inside, or send it on as a Result"
  )
  @_disfavoredOverload
  @discardableResult
  public func connect<Target, each Argument, Result>(
    _ target: Target,
    @TypeDotMethod _ method: (Target) -> (repeat each Argument) async throws -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method without its target.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a method has its target before it: write connect(target, Type.method)"
  )
  @discardableResult
  public func connect<Target: AnyObject, each Argument, Result>(
    @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method without its type.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a method has its type before it: write connect(target, Type.method)"
  )
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, _ method: TypeDotMethod, _ queue: DispatchQueue? = nil
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a property as a slot.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a property is no slot: to set it, write bind(to:of:), with the key path and the target"
  )
  @discardableResult
  public func connect<Target: AnyObject, Value>(
    _ target: Target, _ property: KeyPath<Target, Value>, _ queue: DispatchQueue? = nil
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses an emitter as a slot.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "an emitter is no slot: to pass on each payload, write bind(to: emitter)"
  )
  @discardableResult
  public func connect(_ other: Emitter<Payload>) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a signal as a slot.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a signal does not send: to pass on each payload, write bind(to: emitter)"
  )
  @discardableResult
  public func connect(_ other: Signal<Payload>) -> SignalObserver {
    fatalError("unavailable")
  }
}

extension Signal {
  /// Refuses an emission by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)"
  )
  public func invoke<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`, and an emission by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)"
  )
  public func send<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`, and an emission by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)"
  )
  public func emit<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`, and an emission by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)"
  )
  public func fire<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`, and an emission by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)"
  )
  public func post<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses an emission by a signal, which waits for the slots.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a signal does not send: its emitter does, in the type that declares it: _name.invokeAndWait(…)"
  )
  public func invokeAndWait<each Argument>(_ arguments: repeat each Argument) async {
    fatalError("unavailable")
  }
}

extension Emitter {
  /// Refuses a value for an emitter to begin with.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "an emitter keeps no value: leave out the value, or write @EmitterValue var name = value"
  )
  public init(wrappedValue: Payload) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func send<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func emit<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func fire<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func post<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func yield<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func notify<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func accept<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func onNext<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses a call of the emitter itself.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an emitter sends by invoke: write invoke(…)")
  public func callAsFunction<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses the parts of a tuple of three or more.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "a tuple of three is one payload: write invoke((first, second, third))"
  )
  public func invoke<First, Second, Third, each Other>(
    _ first: First, _ second: Second, _ third: Third, _ other: repeat each Other
  ) {
    fatalError("unavailable")
  }

  /// Refuses a closure that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "others connect to the signal of an emitter: write signal.connect(…)"
  )
  @discardableResult
  public func connect(_ body: (Payload) async -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a closure on a queue that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "others connect to the signal of an emitter: write signal.connect(…)"
  )
  @discardableResult
  public func connect(
    on queue: DispatchQueue?, _ body: (Payload) -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a closure with a target that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "others connect to the signal of an emitter: write signal.connect(…)"
  )
  @discardableResult
  public func connect<Target>(
    _ target: Target, _ body: (Target, Payload) async -> Void
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a method that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "others connect to the signal of an emitter: write signal.connect(…)"
  )
  @discardableResult
  public func connect<Target, each Argument, Result>(
    _ target: Target, @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver {
    fatalError("unavailable")
  }
}
