// What the compiler knows of a slot when it is connected (that its code belongs to an actor), and
// cannot express when the slot is called (that the caller is on that actor, which the slot's
// delivery has seen to). Swift has no synchronous call of an `@isolated(any)` function; the functions
// here, one for each number of parameters, are the only place that makes one.
//
// The cast changes the type and nothing else: a synchronous function is called the same way
// whatever its isolation, on every platform. That is how the compiler works and not what the
// language promises, so a test of every combination says when it changes. It would be wrong to call
// the result anywhere but on the isolation of the argument. `Delivery`, made of that same isolation,
// decides where slots run; nothing checks it at run time but the tests of each connect form.

/// `function`, to be called on the isolation that it has.
@inlinable
func onItsIsolation<Result>(
  _ function: @escaping @isolated(any) () -> Result
) -> () -> Result {
  unsafe unsafeBitCast(function, to: (() -> Result).self)
}

/// `function`, to be called on the isolation that it has.
@inlinable
func onItsIsolation<First, Result>(
  _ function: @escaping @isolated(any) (First) -> Result
) -> (First) -> Result {
  unsafe unsafeBitCast(function, to: ((First) -> Result).self)
}

/// `function`, to be called on the isolation that it has.
@inlinable
func onItsIsolation<First, Second, Result>(
  _ function: @escaping @isolated(any) (First, Second) -> Result
) -> (First, Second) -> Result {
  unsafe unsafeBitCast(function, to: ((First, Second) -> Result).self)
}

/// `function`, to be called on the isolation that it has.
@inlinable
func onItsIsolation<First, Second, Third, Result>(
  _ function: @escaping @isolated(any) (First, Second, Third) -> Result
) -> (First, Second, Third) -> Result {
  unsafe unsafeBitCast(function, to: ((First, Second, Third) -> Result).self)
}

/// `function`, to be called on the actor that it is given.
///
/// `assumeIsolated` would say the same with a check at run time, at two allocations a call.
@inlinable
func onItsActor<Target: Actor>(
  _ function: @escaping @Sendable (isolated Target) -> Void
) -> (Target) -> Void {
  unsafe unsafeBitCast(function, to: ((Target) -> Void).self)
}

/// `function`, to be called on the actor that it is given.
@inlinable
func onItsActor<Target: Actor, Payload>(
  _ function: @escaping @Sendable (isolated Target, Payload) -> Void
) -> (Target, Payload) -> Void {
  unsafe unsafeBitCast(function, to: ((Target, Payload) -> Void).self)
}

/// `function`, to be called on the actor that it is given.
@inlinable
func onItsActor<Target: Actor, First, Second>(
  _ function: @escaping @Sendable (isolated Target, First, Second) -> Void
) -> (Target, First, Second) -> Void {
  unsafe unsafeBitCast(function, to: ((Target, First, Second) -> Void).self)
}

/// `function` as the compiler takes it from code that stays with a target that is not `Sendable`.
///
/// The cast says of `function` that it may be called from anywhere, which the connect form that uses
/// this warns about: what is not `Sendable` is used beside the code that owns it.
@inlinable
func leavingIsolation<Result>(
  _ function: @escaping @concurrent () async -> Result
) -> @Sendable @concurrent () async -> Result {
  unsafe unsafeBitCast(function, to: (@Sendable @concurrent () async -> Result).self)
}

@inlinable
func leavingIsolation<First, Result>(
  _ function: @escaping @concurrent (First) async -> Result
) -> @Sendable @concurrent (First) async -> Result {
  unsafe unsafeBitCast(function, to: (@Sendable @concurrent (First) async -> Result).self)
}

@inlinable
func leavingIsolation<First, Second, Result>(
  _ function: @escaping @concurrent (First, Second) async -> Result
) -> @Sendable @concurrent (First, Second) async -> Result {
  unsafe unsafeBitCast(
    function, to: (@Sendable @concurrent (First, Second) async -> Result).self)
}

/// Calls `function` where it runs, and leaves what it returns there.
@concurrent @usableFromInline
func dropResult<Result>(of function: @Sendable @concurrent () async -> Result) async {
  _ = await function()
}

@concurrent @usableFromInline
func dropResult<First: Sendable, Result>(
  of function: @Sendable @concurrent (First) async -> Result, _ first: First
) async {
  _ = await function(first)
}

@concurrent @usableFromInline
func dropResult<First: Sendable, Second: Sendable, Result>(
  of function: @Sendable @concurrent (First, Second) async -> Result, _ first: First,
  _ second: Second
) async {
  _ = await function(first, second)
}

/// Stops where a signal of payloads that are not `Sendable` would call a function off its actor.
@inlinable
func requireIsolation(_ function: (any Actor)?, _ caller: (any Actor)?) {
  precondition(
    function == nil || function === caller,
    """
    The payload is not Sendable, so its slots run where the signal is: connect code of an actor to \
    it on that actor only
    """)
}

extension SignalSlot {
  /// A slot with a target whose code is the main actor's.
  @inlinable
  init<Target: AnyObject>(
    mainActor target: Target, _ fileID: StaticString, _ line: UInt32,
    _ call: @escaping @MainActor (Target, Payload) -> Void
  ) {
    self.init(target, .main, fileID, line, onItsIsolation(call))
  }
}
