public import Dispatch

// Names that other libraries have, and the answer to each.

extension SignalSource {
  /// Refuses Combine's name for `connect`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write connect { payload in … }; the connection stays without its observer being kept"
  )
  @discardableResult
  public func sink(receiveValue body: (Payload) -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses Combine's name for `bind`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write bind(to:of:), with the same key path and object"
  )
  @discardableResult
  public func assign<Root, Value>(
    to property: ReferenceWritableKeyPath<Root, Value>, on object: Root
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses RxSwift's name for `connect`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write connect { payload in … }; the connection stays without its observer being kept"
  )
  @discardableResult
  public func subscribe(onNext body: (Payload) async -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses the operator by which other languages connect.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write connect { payload in … }; the connection stays without its observer being kept"
  )
  public static func += (source: Self, body: (Payload) async -> Void) {
    fatalError("unavailable")
  }

  /// Refuses a connection for one payload.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write prefix(1).connect { payload in … }"
  )
  @discardableResult
  public func once(_ body: (Payload) async -> Void) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses Combine's name for `prefix(1)`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write prefix(1), or await next(); for a condition, filter { … } before it"
  )
  public func first(where condition: (Payload) -> Bool = { _ in true }) -> Self {
    fatalError("unavailable")
  }

  /// Refuses Combine's way to name a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the queue is named where you connect: connect(on: queue) { … }, connect(target, Type.method, queue)"
  )
  public func receive(on queue: DispatchQueue?) -> Self {
    fatalError("unavailable")
  }

  /// Refuses RxSwift's way to name a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the queue is named where you connect: connect(on: queue) { … }, connect(target, Type.method, queue)"
  )
  public func observe(on queue: DispatchQueue?) -> Self {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `cancelObservers(of:)`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write cancelObservers(of: target), on the signal")
  public func disconnect(_ target: AnyObject) {
    fatalError("unavailable")
  }
}

extension SignalObserver {
  /// Refuses a set of observers, which Combine has instead of a bag.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "write store(in: bag), with an ObserverBag; or nothing, for a connection that ends with its target"
  )
  public func store<Member>(in set: inout Set<Member>) {
    fatalError("unavailable")
  }

  /// Refuses an array of observers, which Combine has instead of a bag.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "write store(in: bag), with an ObserverBag; or nothing, for a connection that ends with its target"
  )
  public func store<Member>(in array: inout [Member]) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `cancel`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write cancel()")
  public func dispose() {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `cancel`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write cancel()")
  public func disconnect() {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `cancel`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write cancel()")
  public func invalidate() {
    fatalError("unavailable")
  }

  /// Refuses another library's name for `suspend`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write suspend()")
  public func pause() {
    fatalError("unavailable")
  }

  /// Refuses RxSwift's name for `store`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "write store(in: bag), with an ObserverBag; or nothing, for a connection that ends with its target"
  )
  public func disposed<Bag>(by bag: Bag) {
    fatalError("unavailable")
  }
}

extension ObserverBag {
  /// Refuses another name for `insert`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write insert(observer), or observer.store(in: bag)")
  public func add(_ observer: SignalObserver) {
    fatalError("unavailable")
  }

  /// Refuses another name for `cancelAll`.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write cancelAll()")
  public func removeAll() {
    fatalError("unavailable")
  }
}
