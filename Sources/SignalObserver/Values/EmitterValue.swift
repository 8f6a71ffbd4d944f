/// A value that others can read, connect to, and not set: the right to set it.
///
/// As a property wrapper it makes an ordinary property. Others connect to the property's `$`. The
/// access level of the property is that of the right to set: `private(set)`, or a property that is
/// private as a whole, and a public one that returns its ``SignalValue``.
///
/// ```swift
/// final class Model {
///   @EmitterValue private(set) var title = "News"
///
///   func load() { title = "Today" }
/// }
/// ```
///
/// A property wrapper's storage is a variable, which a `final class: Sendable` and a `static` do
/// not allow. There, the same type is a plain constant: `private let title = EmitterValue("News")`,
/// with ``value`` and ``signal``.
///
/// Copies share the value. When the last copy is gone its connections end, once what was set has
/// been delivered (guarantee 10).
@propertyWrapper
public struct EmitterValue<Value> {
  @usableFromInline let core: ValueCore<Value>

  /// Creates a value.
  @inlinable
  public init(wrappedValue: Value) {
    core = ValueCore(SignalValue(wrappedValue))
  }

  /// Creates a value, for a constant: `let title = EmitterValue("News")`.
  @inlinable
  public init(_ value: Value) {
    core = ValueCore(SignalValue(value))
  }

  /// Creates a value that is kept elsewhere.
  ///
  /// Setting calls `set` at once, and then sends what `get` returns when the turn of this set has
  /// come. No lock is held while either runs. The emitter does not notice a change around it; send
  /// the change with ``invoke(isolation:)``.
  ///
  /// Closures that belong to an actor, because they are written there, are called there only: the
  /// value is made, set and sent on that actor, for which the main queue counts as the main actor.
  /// Elsewhere that stops the program. Each set then sends what `get` returns right after it; read
  /// elsewhere, the value is what was last set or sent.
  ///
  /// - Parameters:
  ///   - get: Returns the value, whenever it is read or sent.
  ///   - set: Stores the value. Threads that set at once call it at once.
  /// - Precondition: The closures belong to one actor, or to none.
  @inlinable
  public init(
    @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
    @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {
    core = ValueCore(SignalValue(CustomValue(get: get, set: set)))
  }

  /// The value to which others connect.
  ///
  /// Always the same object.
  @inlinable
  public var signal: SignalValue<Value> { core.signal }

  /// The value to which others connect.
  @inlinable
  public var projectedValue: SignalValue<Value> { core.signal }

  /// The newest value; setting it delivers it to every slot, equal or not.
  ///
  /// See ``set(_:isolation:)``.
  @inlinable
  public var value: Value {
    get { core.signal.value }
    nonmutating set { core.set(newValue, from: nil) }
  }

  /// The newest value; setting it delivers it to every slot, equal or not.
  ///
  /// See ``set(_:isolation:)``.
  @inlinable
  public var wrappedValue: Value {
    get { core.signal.value }
    nonmutating set { core.set(newValue, from: nil) }
  }

  /// Sets the value and delivers it to every slot, in the order in which they were connected.
  ///
  /// Inline slots, and those on the isolation that this is called from, have run when this returns,
  /// unless a value is being delivered, or something is pending for the slot. In a slot, or while
  /// another thread sets, this returns at once, and the value is delivered after the one in
  /// progress (guarantee 16).
  ///
  /// An assignment to the property does the same, but knows the main actor only.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - isolation: Where this is called. Leave it out: the compiler fills it in.
  @inlinable
  public func set(_ value: Value, isolation: isolated (any Actor)? = #isolation) {
    core.set(value, from: isolation.map { ObjectIdentifier($0) })
  }

  /// Changes the value by reading and setting it in one step: `_count.modify { $0 += 1 }`.
  ///
  /// Nothing that other threads set meanwhile is lost: `body` is given a copy, and again the newest
  /// if one of them was first. It therefore may run more than once, should do nothing but change
  /// its argument, and must not set this value itself. No lock is held while it runs.
  ///
  /// Of a value with a getter and setter, the step is one only if those make it one.
  ///
  /// - Parameters:
  ///   - isolation: Where this is called. Leave it out: the compiler fills it in.
  ///   - body: Changes the value. If it throws, nothing is set.
  /// - Returns: What `body` returned when it ran last.
  /// - Throws: What `body` throws.
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
  /// - Parameter isolation: Where this is called. Leave it out: the compiler fills it in.
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

/// The state that all copies of an emitter share.
///
/// Its death is the emitter's.
@usableFromInline
final class ValueCore<Value> {
  @usableFromInline let signal: SignalValue<Value>

  @inlinable
  init(_ signal: SignalValue<Value>) {
    self.signal = signal
  }

  @inlinable
  deinit { signal.finish() }

  /// Keeps itself until what it sets is delivered, also if a slot drops the emitter.
  @inlinable
  func set(
    _ value: Value, from isolation: ObjectIdentifier?, cause: Cause? = nil, ifNewer: Bool = false
  ) {
    signal.set(value, from: isolation, cause: cause, ifNewer: ifNewer)
    holdUntilHere(self)
  }
}

extension ValueCore: Sendable where Value: Sendable {}
