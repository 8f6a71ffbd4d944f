/// The right to set a value that others can read and connect to.
///
/// As a property wrapper, it makes an ordinary property. Others connect to the same name with a
/// `$`, such as `$title`. The right to set has the access level of the property. Declare the
/// property `private(set)`, or declare it private and add a public property that returns its
/// ``SignalValue``.
///
/// ```swift
/// final class Model {
///   @EmitterValue private(set) var title = "News"
///
///   func load() { title = "Today" }
/// }
/// ```
///
/// The storage of a property wrapper is a variable. Swift allows no such variable in a
/// `final class: Sendable`, or as a `static`. There, declare the same type as a constant,
/// `private let title = EmitterValue("News")`, and use its ``value`` and its ``signal``.
///
/// Copies share the value. The emitter dies with its last copy. The values that were set are still
/// delivered, and then its connections end (guarantee 10).
@propertyWrapper
public struct EmitterValue<Value> {
  @usableFromInline let core: ValueCore<Value>

  /// Creates an emitter of a value that begins with `wrappedValue`.
  @inlinable
  public init(wrappedValue: Value) {
    core = ValueCore(SignalValue(wrappedValue))
  }

  /// Creates an emitter of a value, as a constant: `let title = EmitterValue("News")`.
  @inlinable
  public init(_ value: Value) {
    core = ValueCore(SignalValue(value))
  }

  /// Creates an emitter of a value that is kept elsewhere.
  ///
  /// A set calls `set` at once. When the turn of the set comes, it sends the result of `get`. No
  /// lock is held while either closure runs. The emitter does not notice a change that is made
  /// around it. Send such a change with ``invoke(isolation:)``.
  ///
  /// Closures in the code of an actor belong to that actor. The value is then made, set and sent on
  /// that actor: elsewhere, each of these stops the program. The main queue counts as the main
  /// actor. Each set sends the result that `get` returns right after it. A read calls `get` only on
  /// the main queue, if the closures belong to the main actor. Every other read of such a value
  /// returns the value that was last set or sent.
  ///
  /// - Parameters:
  ///   - get: A closure that returns the value. Sets, reads and deliveries call it.
  ///   - set: A closure that stores the value. Threads that set at once call it at once.
  /// - Precondition: Both closures belong to the same actor, or to none.
  @inlinable
  public init(
    @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
    @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {
    core = ValueCore(SignalValue(CustomValue(get: get, set: set)))
  }

  /// The value to which others connect.
  ///
  /// It is always the same object.
  @inlinable
  public var signal: SignalValue<Value> { core.signal }

  /// The value to which others connect.
  @inlinable
  public var projectedValue: SignalValue<Value> { core.signal }

  /// The newest value; a set delivers it to every slot, even if it equals the old one.
  ///
  /// See ``set(_:isolation:)``.
  @inlinable
  public var value: Value {
    get { core.signal.value }
    nonmutating set { core.set(newValue, from: nil) }
  }

  /// The newest value; a set delivers it to every slot, even if it equals the old one.
  ///
  /// See ``set(_:isolation:)``.
  @inlinable
  public var wrappedValue: Value {
    get { core.signal.value }
    nonmutating set { core.set(newValue, from: nil) }
  }

  /// Sets the value and delivers it to every slot, in the order in which they were connected.
  ///
  /// Inline slots have run when this returns, and so have slots on the isolation of the caller,
  /// unless something is pending there (guarantee 13). If a delivery is in progress, in a slot or
  /// on another thread, this returns at once. The value is then delivered after the one in progress
  /// (guarantee 16). No lock is held while slots run.
  ///
  /// An assignment to the property does the same, but recognises no actor except the main actor.
  ///
  /// - Parameters:
  ///   - value: The new value, which is sent even if it equals the old one.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  /// - Complexity: O(*n*) in the number of slots.
  @inlinable
  public func set(_ value: Value, isolation: isolated (any Actor)? = #isolation) {
    core.set(value, from: isolation.map { ObjectIdentifier($0) })
  }

  /// Changes the value by reading and setting it in one step: `_count.modify { $0 += 1 }`.
  ///
  /// `body` changes a copy of the value. If another thread has set the value meanwhile, `body` runs
  /// again with a copy of the newest value. Thus no set is lost, and `body` may run more than once.
  /// It should only change its argument. It must not set the same value: it would then run without
  /// end. No lock is held while it runs.
  ///
  /// If the value has a getter and a setter, reading and setting are two steps, and a set by
  /// another thread in between is lost.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  ///   - body: A closure that changes the value. If it throws, nothing is set.
  /// - Returns: The result of the last call of `body`.
  /// - Throws: The error of `body`.
  @discardableResult
  @inlinable
  public func modify<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { holdUntilHere(core) }
    return try core.signal.modify(from: isolation.map { ObjectIdentifier($0) }, body)
  }

  /// Sends the current value again, as if it had been set once more.
  ///
  /// If the value has a getter, the getter is called for it. Everything else is as for
  /// ``set(_:isolation:)``.
  ///
  /// - Parameter isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  @inlinable
  public func invoke(isolation: isolated (any Actor)? = #isolation) {
    core.signal.send(from: isolation.map { ObjectIdentifier($0) })
    holdUntilHere(core)
  }

  /// Cancels every connection of the value, pending deliveries included.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public func cancelAllObservers() {
    core.signal.cancelAll()
  }
}

extension EmitterValue: Sendable where Value: Sendable {}

/// The object that all copies of an emitter share.
///
/// The emitter dies with it.
@usableFromInline
final class ValueCore<Value> {
  @usableFromInline let signal: SignalValue<Value>

  @inlinable
  init(_ signal: SignalValue<Value>) {
    self.signal = signal
  }

  @inlinable
  deinit { signal.finish() }

  /// Sets the value, and holds the emitter meanwhile, since a slot may drop it.
  @inlinable
  func set(
    _ value: Value, from isolation: ObjectIdentifier?, cause: Cause? = nil, ifNewer: Bool = false
  ) {
    signal.set(value, from: isolation, cause: cause, ifNewer: ifNewer)
    holdUntilHere(self)
  }
}

extension ValueCore: Sendable where Value: Sendable {}
