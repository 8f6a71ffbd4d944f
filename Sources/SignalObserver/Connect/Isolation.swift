// Three casts of functions.
//
// `onItsIsolation`, `onItsActor`: when a slot is connected, the compiler knows the actor of its
// code. When the slot is called, the compiler cannot know that the caller is on that actor. The
// kernel sees to that. Swift has no synchronous call of an `@isolated(any)` function. Only the
// functions here make one, one for each number of parameters.
//
// The cast changes the type and nothing else. A synchronous function of any isolation is called in
// the same way, on every platform. The compiler works in this way, but the language does not
// promise it. Tests of every combination notice a change.
//
// The result of the first two may be called only on the isolation of the argument.
// `RequestedPlace`, which is made from that same isolation, decides where slots run. No check
// runs in a program. Tests of each connect form check the place.

/// Returns `function` as a plain one, which the caller must call on the isolation of `function`.
@inlinable
func onItsIsolation<Result>(
  _ function: @escaping @isolated(any) () -> Result
) -> () -> Result {
  unsafe unsafeBitCast(
    Isolated0(function: function), to: Plain0<Result>.self
  ).function
}

/// Returns `function` as a plain one, which the caller must call on the isolation of `function`.
@inlinable
func onItsIsolation<First, Result>(
  _ function: @escaping @isolated(any) (First) -> Result
) -> (First) -> Result {
  unsafe unsafeBitCast(
    Isolated1(function: function), to: Plain1<First, Result>.self
  ).function
}

/// Returns `function` as a plain one, which the caller must call on the isolation of `function`.
@inlinable
func onItsIsolation<First, Second, Result>(
  _ function: @escaping @isolated(any) (First, Second) -> Result
) -> (First, Second) -> Result {
  unsafe unsafeBitCast(
    Isolated2(function: function), to: Plain2<First, Second, Result>.self
  ).function
}

/// Returns `function` as a plain one, which the caller must call on the isolation of `function`.
@inlinable
func onItsIsolation<First, Second, Third, Result>(
  _ function: @escaping @isolated(any) (First, Second, Third) -> Result
) -> (First, Second, Third) -> Result {
  unsafe unsafeBitCast(
    Isolated3(function: function), to: Plain3<First, Second, Third, Result>.self
  ).function
}

// What is cast is a structure with the function in it. The type of an `@isolated(any)` function
// cannot be a generic argument before macOS 15 and iOS 18, whose runtime knows such types. Nobody
// makes a `Plain` in another way than by the cast.

@usableFromInline
struct Isolated0<Result> {
  @usableFromInline let function: @isolated(any) () -> Result

  @inlinable
  init(function: @escaping @isolated(any) () -> Result) { self.function = function }
}

@usableFromInline
struct Plain0<Result> {
  @usableFromInline let function: () -> Result
}

@usableFromInline
struct Isolated1<First, Result> {
  @usableFromInline let function: @isolated(any) (First) -> Result

  @inlinable
  init(function: @escaping @isolated(any) (First) -> Result) { self.function = function }
}

@usableFromInline
struct Plain1<First, Result> {
  @usableFromInline let function: (First) -> Result
}

@usableFromInline
struct Isolated2<First, Second, Result> {
  @usableFromInline let function: @isolated(any) (First, Second) -> Result

  @inlinable
  init(function: @escaping @isolated(any) (First, Second) -> Result) { self.function = function }
}

@usableFromInline
struct Plain2<First, Second, Result> {
  @usableFromInline let function: (First, Second) -> Result
}

@usableFromInline
struct Isolated3<First, Second, Third, Result> {
  @usableFromInline let function: @isolated(any) (First, Second, Third) -> Result

  @inlinable
  init(function: @escaping @isolated(any) (First, Second, Third) -> Result) {
    self.function = function
  }
}

@usableFromInline
struct Plain3<First, Second, Third, Result> {
  @usableFromInline let function: (First, Second, Third) -> Result
}

/// Returns `function` as a plain one, which the caller must call on the actor that it passes.
///
/// `assumeIsolated` would say the same with a check at run time, at two allocations a call.
@inlinable
func onItsActor<Target: Actor>(
  _ function: @escaping @Sendable (isolated Target) -> Void
) -> (Target) -> Void {
  unsafe unsafeBitCast(function, to: ((Target) -> Void).self)
}

/// Returns `function` as a plain one, which the caller must call on the actor that it passes.
@inlinable
func onItsActor<Target: Actor, Payload>(
  _ function: @escaping @Sendable (isolated Target, Payload) -> Void
) -> (Target, Payload) -> Void {
  unsafe unsafeBitCast(function, to: ((Target, Payload) -> Void).self)
}

/// Returns `function` as a plain one, which the caller must call on the actor that it passes.
@inlinable
func onItsActor<Target: Actor, First, Second>(
  _ function: @escaping @Sendable (isolated Target, First, Second) -> Void
) -> (Target, First, Second) -> Void {
  unsafe unsafeBitCast(function, to: ((Target, First, Second) -> Void).self)
}

/// `function`, a method of a target that is not `Sendable`, as a `Sendable` function.
///
/// The cast is right because `@Sendable` changes nothing in how a function is called. The result
/// may be called from anywhere, beside the code that owns the target. The connect form that uses
/// this function warns about that.
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

/// Calls `function`, and drops its result on the executor where the function has run.
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

/// Stops the program if a signal whose payload is not `Sendable` would call `function` off its
/// actor.
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
