// What the compiler knows of a slot when it is connected (that its code belongs to an actor), and
// cannot express when the slot is called (that the caller is on that actor, which the slot's
// delivery has seen to). Swift has no synchronous call of an `@isolated(any)` function; these
// functions, one for each number of parameters, are the only place that makes one.
//
// The cast changes the type and nothing else: a synchronous function is called the same way
// whatever its isolation, on every platform. That is how the compiler works and not what the
// language promises, so a test of every combination says when it changes. It would be wrong to call
// the result anywhere but on the isolation of the argument: `Delivery` decides that, and debug
// builds of slots that must not run elsewhere say so with `preconditionIsolated`.

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
