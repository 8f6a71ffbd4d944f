public import Dispatch

// A transform between a signal and a method.

extension SignalSource where Payload: Sendable {
  /// Connects a method by way of a transform: `loaded.map(label, Label.show, { $0.title })`.
  ///
  /// Like `connect` with the same method, with `transform` called once for each delivery, where
  /// the slot runs, and only if the target is alive. Neither is called under a lock.
  ///
  /// - Parameters:
  ///   - target: The object whose method is called, held weakly.
  ///   - method: The method. A value that it returns is dropped.
  ///   - transform: Makes of the payload what the method takes; `{ ($0, $1.text) }` for two
  ///     parameters.
  ///   - isolation: Where `map` is called. Leave it out: the compiler fills it in.
  ///   - fileID: Where `map` is called, for the signal's debug description.
  ///   - line: Where `map` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, isolation: isolation, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// Both run where `connect` would run the method.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> () -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, isolation: isolation, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run where `connect` would run the method.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, isolation: isolation, fileID: fileID, line: line)
  }

  /// Connects a method of the main actor by way of a transform; both run there.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// Both run on the main actor.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor () -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run on the main actor.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @MainActor (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method of a global actor by way of a transform; both run there.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// Both run on the global actor of the method.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) () -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run on the global actor of the method.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects an `async` method by way of a transform, one call at a time, in order.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject & Sendable, Output: Sendable, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (Output) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// The method is `async` and runs one call at a time.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject & Sendable, Result: Sendable>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) () async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// The method is `async` and runs one call at a time.
  @inlinable
  @discardableResult
  public func map<
    Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result: Sendable
  >(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects an `async` method that stays with its caller, by way of a transform, one call at a
  /// time, in order.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> nonisolated(nonsending) (Output) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, isolation: isolation, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// The method is `async`, stays on the isolation that `map` is called from, and runs one call at
  /// a time.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> nonisolated(nonsending) () async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, isolation: isolation, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// The method is `async`, stays on the isolation that `map` is called from, and runs one call at
  /// a time.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method:
      @escaping @Sendable (Target) -> nonisolated(nonsending) (First, Second) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, isolation: isolation, fileID: fileID, line: line)
  }

  /// Connects an `async` method that belongs to no actor, by way of a transform, one call at a
  /// time, in order.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject & Sendable, Output: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent @Sendable (Output) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// The method is `async`, belongs to no actor, and runs one call at a time.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject & Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent @Sendable () async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// The method is `async`, belongs to no actor, and runs one call at a time.
  @inlinable
  @discardableResult
  public func map<Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent @Sendable (First, Second) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects an `async` method that leaves the isolation of its caller, of a class that is not
  /// `Sendable`, by way of a transform.
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent (Output) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// The method is `async`, and leaves the isolation of its caller, although the class is not
  /// `Sendable`.
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @discardableResult
  public func map<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @concurrent () async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// The method is `async`, and leaves the isolation of its caller, although the class is not
  /// `Sendable`.
  @available(
    *, deprecated,
    message:
      "the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable"
  )
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @concurrent (First, Second) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects an `async` method of an actor by way of a transform, one call at a time, in order.
  @inlinable
  @discardableResult
  public func map<Target: Actor, Output: Sendable, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (isolated Target) -> @Sendable (Output) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// It is a method of an actor and runs one call at a time.
  @inlinable
  @discardableResult
  public func map<Target: Actor, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (isolated Target) -> @Sendable () async -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// It is a method of an actor and runs one call at a time.
  @inlinable
  @discardableResult
  public func map<Target: Actor, First: Sendable, Second: Sendable, Result: Sendable>(
    _ target: Target,
    _ method: @escaping @Sendable (isolated Target) -> @Sendable (First, Second) async -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, fileID: fileID, line: line)
  }

  /// Connects a method by way of a transform; both run on `queue`, or inline if that is `nil`.
  ///
  /// Delivery is as for `connect` with a queue.
  @inlinable
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, queue, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// Both run on `queue`, or inline if that is `nil`.
  @inlinable
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> () -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, queue, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run on `queue`, or inline if that is `nil`.
  @inlinable
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Mapped(base: self, transform: transform)
      .connect(target, method, queue, fileID: fileID, line: line)
  }

  /// Connects a method of the main actor by way of a transform; both run there and not on
  /// `queue`.
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    map(target, method, transform, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// Both run on the main actor, and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @MainActor () -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    map(target, method, transform, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run on the main actor, and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of the main actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @MainActor (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    map(target, method, transform, fileID: fileID, line: line)
  }

  /// Connects a method of a global actor by way of a transform; both run there and not on
  /// `queue`.
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject & Sendable, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    map(target, method, transform, fileID: fileID, line: line)
  }

  /// Connects a method without parameters by way of a transform, which is called before it.
  ///
  /// Both run on its global actor, and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject & Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) () -> Result,
    _ transform: @escaping @Sendable (Payload) -> Void,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    map(target, method, transform, fileID: fileID, line: line)
  }

  /// Connects a method with two parameters by way of a transform that makes both.
  ///
  /// Both run on its global actor, and not on `queue`.
  @available(
    *, deprecated,
    message: "a method of a global actor runs there: write map(target, Type.method, transform)"
  )
  @_disfavoredOverload
  @discardableResult
  public func map<Target: AnyObject & Sendable, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ method: @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    map(target, method, transform, fileID: fileID, line: line)
  }
}
