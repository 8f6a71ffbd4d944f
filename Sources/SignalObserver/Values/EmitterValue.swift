/// The right to set a value that others can read and connect to.
///
/// As a property wrapper, it makes an ordinary property. Others connect to the same name with a
/// `$`, such as `$title`. Whoever may set the property may send. To keep that right, declare the
/// property `private(set)`, or declare it private and add a public property that returns its
/// ``SignalValue``.
///
/// To send payloads without a current value, use ``Emitter``.
///
/// ```swift
/// final class Model {
///   @EmitterValue var title: String? = nil
///   // Everyone may connect, and only Model can set.
///   @EmitterValue private(set) var count = 0
///
///   // One step: no other thread sets the value in between.
///   func add(_ number: Int) { _count.modify { $0 += number } }
/// }
/// ```
///
/// The storage of a property wrapper is a variable. Swift allows no such variable in a
/// `final class: Sendable`, or as a `static`. There, declare the same type as a constant,
/// `private let title = EmitterValue("News")`, and use its ``value`` and its ``signal``.
///
/// Copies share the value, so a struct should not contain one: a change of a copy of the struct
/// would change the original. Keep the struct itself in a value. The emitter dies with its last
/// copy: values that were set are still delivered, and then the connections end
/// ([guarantee 10](doc:Guarantees)).
@propertyWrapper
public struct EmitterValue<Value> {
  @usableFromInline let core: ValueCore<Value>

  /// Creates an emitter whose value begins with `wrappedValue`: `@EmitterValue var title = "News"`.
  ///
  /// - Parameter wrappedValue: The first value.
  /// - Complexity: O(1).
  @inlinable
  public init(wrappedValue: Value) {
    core = ValueCore(SignalValue(wrappedValue))
  }

  /// Creates an emitter whose value begins with `value`: `let title = EmitterValue("News")`.
  ///
  /// Use this form where a property wrapper is not allowed: in a `final class: Sendable`, in an
  /// actor, or as a `static`.
  ///
  /// - Parameter value: The first value.
  /// - Complexity: O(1).
  @inlinable
  public init(_ value: Value) {
    core = ValueCore(SignalValue(value))
  }

  /// Creates an emitter for a value that other code stores, such as a property of a settings
  /// object.
  ///
  /// ```swift
  /// let name = EmitterValue(get: { settings.name }, set: { settings.name = $0 })
  /// name.set("Lee")  // calls the setter, then sends the getter's result
  /// settings.name = "Sam"
  /// name.invoke()  // sends "Sam", which the emitter has not seen
  /// ```
  ///
  /// Use the other initialisers if the emitter can store the value itself. This one has limits that
  /// they do not have: the isolation of the closures, described below, and
  /// ``modify(isolation:_:)``, which is then two steps.
  ///
  /// A set calls `set` at once. When it is the turn of that set, the emitter sends the result of
  /// `get`. No lock is held while either closure runs. If other code changes the value without the
  /// emitter, the emitter does not notice. Send such a change with ``invoke(isolation:)``.
  ///
  /// Closures that are written in the code of an actor belong to that actor, and hold it: an actor
  /// that stores such a value is never released. Make, set and send the value on that actor only:
  /// elsewhere, each of these stops the program. The main queue counts as the main actor. Each set
  /// sends what `get` returns right after `set`. If the closures belong to the main actor, a read
  /// on the main queue calls `get`. Any other read of such a value returns what was last set or
  /// sent.
  ///
  /// - Parameters:
  ///   - get: A closure that returns the value. Sets, reads and deliveries call it.
  ///   - set: A closure that stores the value. If threads set at the same time, its calls may
  ///     overlap.
  /// - Precondition: Both closures belong to the same actor, or to none. Neither uses this
  ///   value so that it calls itself without end: that stops the program.
  /// - Complexity: O(1). It calls `get` once if the closures belong to an actor.
  @inlinable
  public init(
    @_inheritActorContext(always) get: @escaping @isolated(any) @Sendable () -> Value,
    @_inheritActorContext(always) set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {
    core = ValueCore(SignalValue(CustomValue(get: get, set: set)))
  }

  /// The value to which others connect.
  ///
  /// It is always the same object. It does not hold the emitter.
  @inlinable
  public var signal: SignalValue<Value> { core.signal }

  /// The value to which others connect.
  @inlinable
  public var projectedValue: SignalValue<Value> { core.signal }

  /// The newest value.
  ///
  /// Setting it delivers it to every slot, even if it equals the old one. A change such as `+= 1`,
  /// `append` or an assignment to an element is one step, as ``modify(isolation:_:)`` is, and
  /// changes the value in place.
  ///
  /// Everything else is as for ``set(_:isolation:)``, which also recognises the actor of its
  /// caller.
  @inlinable
  public var value: Value {
    get { core.signal.value }
    nonmutating set {
      core.signal.set(newValue, from: nil)
      holdUntilHere(core)
    }
    nonmutating _modify {
      let signal = core.signal
      defer { holdUntilHere(core) }
      // As a getter does, for the value itself.
      signal.observation.read()
      var taken = signal.take()
      defer { signal.put(taken, from: nil) }
      yield &taken.value
    }
  }

  /// The newest value, under the name of the property.
  ///
  /// Everything else is as for ``value``.
  @inlinable
  public var wrappedValue: Value {
    get { value }
    nonmutating set { value = newValue }
    nonmutating _modify { yield &value }
  }

  /// Sets the value and sends it to every slot, in the order in which they were connected.
  ///
  /// Slots run when they would for ``Emitter/invoke(_:isolation:)``, and no lock is held meanwhile.
  /// A slot may set the value for which it is called: that set is delivered before it returns. If
  /// another thread is delivering the value, this returns at once, and that thread delivers the new
  /// value, too ([guarantee 16](doc:Guarantees)). Inline slots that set values in an endless circle
  /// stop the program with a message that names them.
  ///
  /// An assignment to the property does the same, but recognises no actor except the main actor. On
  /// an actor of your own, call this, and slots of that actor run at once. If the new value depends
  /// on the old one, use ``modify(isolation:_:)``.
  ///
  /// - Parameters:
  ///   - value: The new value, which is sent even if it equals the old one.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  /// - Complexity: O(*n*) in the number of slots.
  @inlinable
  public func set(_ value: Value, isolation: isolated (any Actor)? = #isolation) {
    core.signal.set(value, from: isolation.map { ObjectIdentifier($0) })
    // A slot may drop the emitter.
    holdUntilHere(core)
  }

  /// Reads and sets the value in one step: `_count.modify { $0 += 1 }`.
  ///
  /// `body` runs once, and changes the value in place. It copies nothing, unless a slot or a
  /// pending delivery has kept the value, or somebody has connected to ``SignalValue/changes``,
  /// whose slots get the old value, too. Others that read or set the value, or connect to it, wait
  /// until `body` has returned, as for a `Mutex`. So `body` should be short, and wait for nobody
  /// who does. If it uses this same value, it stops the program.
  ///
  /// A closure such as `{ $0 + 1 }` returns a number, and changes nothing. Swift warns that the
  /// result is unused. If `body` changes the value and also returns something that you do not need,
  /// write `_ = _names.modify { $0.removeLast() }`.
  ///
  /// If the value has a getter and a setter, reading and setting are two steps. A set by another
  /// thread between them is lost.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  ///   - body: A closure that changes the value. If it throws, nothing is set.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  /// - Precondition: `body` does not use this value, other than by its argument.
  /// - Complexity: O(*n*) in the number of slots, and a copy of the value if `body` may throw.
  @inlinable
  public func modify<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { holdUntilHere(core) }
    return try core.signal.changeInPlace(from: isolation.map { ObjectIdentifier($0) }, body)
  }

  /// Sends the current value again, as if it had been set once more.
  ///
  /// If the value has a getter, this calls the getter. Everything else is as for
  /// ``set(_:isolation:)``.
  ///
  /// - Parameter isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  @inlinable
  public func invoke(isolation: isolated (any Actor)? = #isolation) {
    core.signal.send(from: isolation.map { ObjectIdentifier($0) })
    holdUntilHere(core)
  }

  /// Cancels every connection of the value, and drops what is pending for it.
  ///
  /// Any thread may call this. It does not wait for a call in progress
  /// ([guarantee 4](doc:Guarantees)). Slots can be connected again afterwards.
  /// Some operators still send the payloads that they have received: see
  /// ``Emitter/cancelAllObservers()``.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public func cancelAllObservers() {
    core.signal.list.cancelAll()
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
}

extension ValueCore: Sendable where Value: Sendable {}
