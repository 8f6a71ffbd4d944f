public import Dispatch

// A transform between a signal and a method. For an asynchronous method, or a method of an actor,
// the operator does the same: `map { … }.connect(target, Type.method)`.
//
// A method of a global actor has a form of its own. One form for all methods would take the others
// as functions of any isolation, too, and Swift 6.3 then confuses the two: if they are of one class
// and have the same parameters, the second reports the isolation of the first.

extension SignalSource {
  /// Connects a method by way of a transform.
  ///
  /// ```swift
  /// feed.loaded.map(page, Page.show(title:), { _, article in article.title })
  /// ```
  ///
  /// The method runs where and when `connect` would run it, and `target` is held weakly.
  /// `transform` runs once for each delivery, in the same place, and only if the target is alive.
  /// No lock is held while either runs ([guarantee 7](doc:Guarantees)).
  ///
  /// Use this if the method takes something else than the payload. For an asynchronous method, or a
  /// method of an actor, use the operator, ``map(_:)``.
  ///
  /// - Parameters:
  ///   - target: The object whose method is called, held weakly.
  ///   - method: The method. A value that it returns is dropped.
  ///   - transform: Makes the method's argument from the payload; `{ ($0, $1.text) }` makes two.
  ///   - isolation: Where `map` is called. Leave it out: the compiler fills it in.
  ///   - fileID: Where `map` is called, for the signal's debug description.
  ///   - line: Where `map` is called, for the signal's debug description.
  /// - Returns: The handle of the connection.
  /// - Complexity: That of one `connect`.
  @inlinable @discardableResult @_disfavoredOverload
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot<Output>(target, RequestedPlace(isolation: isolation), fileID, line) {
        target, output in
        _ = method(target)(output)
      }.adapted(transform).passing("map"))
  }

  /// Connects a method by way of a transform that makes two arguments; the rest is as for one.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target, _ methodOfTwo: @escaping @Sendable (Target) -> (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot<(First, Second)>(
        target, RequestedPlace(isolation: isolation), fileID, line
      ) { target, output in
        _ = methodOfTwo(target)(output.0, output.1)
      }.adapted(transform).passing("map"))
  }

  /// Connects a method of a global actor by way of a transform; both run there.
  ///
  /// The method runs where and when `connect` would run it, and `target` is held weakly.
  /// `transform` runs once for each delivery, and only if the target is alive. The parameters are
  /// as for a method of a plain class.
  @inlinable @discardableResult @_disfavoredOverload
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target,
    _ isolatedMethod: @escaping @Sendable (Target) -> @isolated(any) (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot<Output>(
        target, RequestedPlace(isolation: isolatedMethod(target).isolation), fileID, line
      ) { target, output in
        _ = onItsIsolation(isolatedMethod(target))(output)
      }.adapted(transform).passing("map"))
  }

  /// Connects a method of a global actor by way of a transform that makes two arguments; the rest
  /// is as for one argument.
  @_documentation(visibility: internal)
  @inlinable @discardableResult @_disfavoredOverload
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target,
    _ isolatedMethodOfTwo:
      @escaping @Sendable (Target) -> @isolated(any) (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot<(First, Second)>(
        target, RequestedPlace(isolation: isolatedMethodOfTwo(target).isolation), fileID, line
      ) { target, output in
        _ = onItsIsolation(isolatedMethodOfTwo(target))(output.0, output.1)
      }.adapted(transform).passing("map"))
  }

  /// Connects a method by way of a transform; both run on `queue`, or inline.
  ///
  /// ```swift
  /// feed.loaded.map(log, Log.write, { _, article in article.title }, queue)
  /// ```
  ///
  /// The method runs when `connect` with a queue would run it, and `target` is held weakly.
  /// `transform` runs once for each delivery, and only if the target is alive. The parameters are
  /// as for the form without a queue, and `queue` may be `.inline`.
  @inlinable @_disfavoredOverload @discardableResult
  public func map<Target: AnyObject, Output: Sendable, Result>(
    _ target: Target, _ method: @escaping @Sendable (Target) -> (Output) -> Result,
    _ transform: @escaping @Sendable (Payload) -> Output,
    _ queue: DispatchQueue?, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot<Output>(target, RequestedPlace(queue: queue), fileID, line) { target, output in
        _ = method(target)(output)
      }.adapted(transform).passing("map"))
  }

  /// Connects a method by way of a transform that makes two arguments, on `queue` or inline; the
  /// rest is as for one argument.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload @discardableResult
  public func map<Target: AnyObject, First: Sendable, Second: Sendable, Result>(
    _ target: Target, _ methodOfTwo: @escaping @Sendable (Target) -> (First, Second) -> Result,
    _ transform: @escaping @Sendable (Payload) -> (First, Second),
    _ queue: DispatchQueue?, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Payload: Sendable {
    attachMethod(
      SignalSlot<(First, Second)>(
        target, RequestedPlace(queue: queue), fileID, line
      ) { target, output in
        _ = methodOfTwo(target)(output.0, output.1)
      }.adapted(transform).passing("map"))
  }
}
