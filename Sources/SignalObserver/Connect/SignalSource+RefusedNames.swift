public import Dispatch

// Names from other libraries, and calls on the wrong half of a signal, and the answer to each.

extension SignalSource {
  /// Refuses Combine's name for `connect`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write connect { payload in … }; you need not keep the observer that it returns"
  )
  @discardableResult
  public func sink(receiveValue body: (Payload) -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses Combine's name for `bind`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write bind(to: \\.property, of: object)"
  )
  @discardableResult
  public func assign<Root, Value>(
    to property: ReferenceWritableKeyPath<Root, Value>, on object: Root
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses RxSwift's name for `connect`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write connect { payload in … }; you need not keep the observer that it returns"
  )
  @discardableResult
  public func subscribe(onNext body: (Payload) async -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses Combine's name for `prefix(1)`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write prefix(1), or await next(); for a condition, write filter { … } before it"
  )
  public func first(where condition: (Payload) -> Bool = { _ in true }) -> Self {
    fatalError("unavailable")
  }

  /// Refuses Combine's way to name a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "name the queue where you connect: write connect(on: queue) { … }, or connect(target, Type.method, queue)"
  )
  public func receive(on queue: DispatchQueue?) -> Self { fatalError("unavailable") }

  /// Refuses RxSwift's way to name a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "name the queue where you connect: write connect(on: queue) { … }, or connect(target, Type.method, queue)"
  )
  public func observe(on queue: DispatchQueue?) -> Self { fatalError("unavailable") }
}

extension SignalObserver {
  /// Refuses a set of observers, which Combine has instead of a bag.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write store(in: bag) with an ObserverBag; a connection with a target needs no bag"
  )
  public func store<Members>(in members: inout Members) { fatalError("unavailable") }

  /// Refuses RxSwift's name for `store`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write store(in: bag) with an ObserverBag; a connection with a target needs no bag"
  )
  public func disposed<Bag>(by bag: Bag) { fatalError("unavailable") }
}

extension Signal {
  /// Refuses an emission by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "only the emitter sends: write _name.invoke(…) in the type that declares the signal"
  )
  public func invoke<each Argument>(_ arguments: repeat each Argument) { fatalError("unavailable") }

  /// Refuses another library's name for `invoke`, and an emission by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "only the emitter sends: write _name.invoke(…) in the type that declares the signal"
  )
  public func send<each Argument>(_ arguments: repeat each Argument) { fatalError("unavailable") }

  /// Refuses another library's name for `invoke`, and an emission by a signal.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "only the emitter sends: write _name.invoke(…) in the type that declares the signal"
  )
  public func emit<each Argument>(_ arguments: repeat each Argument) { fatalError("unavailable") }

  /// Refuses an emission by a signal, which waits for the slots.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "only the emitter sends: write _name.invokeAndWait(…) in the type that declares the signal"
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
    message: "an emitter has no value: remove the value, or write @EmitterValue var name = value"
  )
  public init(wrappedValue: Payload) { fatalError("unavailable") }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "to send a payload, write invoke(…)")
  public func send<each Argument>(_ arguments: repeat each Argument) { fatalError("unavailable") }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "to send a payload, write invoke(…)")
  public func emit<each Argument>(_ arguments: repeat each Argument) { fatalError("unavailable") }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "to send a payload, write invoke(…)")
  public func accept<each Argument>(_ arguments: repeat each Argument) { fatalError("unavailable") }

  /// Refuses another library's name for `invoke`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "to send a payload, write invoke(…)")
  public func onNext<each Argument>(_ arguments: repeat each Argument) { fatalError("unavailable") }

  /// Refuses a call of the emitter itself.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "to send a payload, write invoke(…)")
  public func callAsFunction<each Argument>(_ arguments: repeat each Argument) {
    fatalError("unavailable")
  }

  /// Refuses the parts of a tuple of three or more.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the payload is one tuple: write invoke((first, second, third))"
  )
  public func invoke<First, Second, Third, each Other>(
    _ first: First, _ second: Second, _ third: Third, _ other: repeat each Other
  ) { fatalError("unavailable") }

  /// Refuses a closure that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "connect to the signal of the emitter: write signal.connect(…)"
  )
  @discardableResult
  public func connect(
    on queue: DispatchQueue? = nil, _ body: (Payload) async -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a closure with a target that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "connect to the signal of the emitter: write signal.connect(…)"
  )
  @discardableResult
  public func connect<Target>(
    _ target: Target, _ body: (Target, Payload) async -> Void
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a method that is connected to the emitter itself.
  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "connect to the signal of the emitter: write signal.connect(…)"
  )
  @discardableResult
  public func connect<Target, each Argument, Result>(
    _ target: Target, @TypeDotMethod _ method: (Target) -> (repeat each Argument) async -> Result
  ) -> SignalObserver { fatalError("unavailable") }
}
