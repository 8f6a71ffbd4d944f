extension SignalSlot {
  /// Returns the same slot, which runs with a task-local value.
  ///
  /// ```swift
  /// func attach(_ slot: SignalSlot<Request>) -> SignalObserver {
  ///   base.attach(slot.running(with: Request.$trace) { $0.id })
  /// }
  /// ```
  ///
  /// Use this in a source that receives payloads from outside the program, each with a context of
  /// its own, such as the trace of a request. The value is bound while the slot runs, in any place.
  /// For an asynchronous slot, it is bound until the slot has returned.
  ///
  /// It is not bound behind `values`, `next()` and operators of time, nor for a slot in another
  /// place behind `merge`, `combineLatest`, `zip`, `reductions(into:)`, `replay`, or an operator
  /// before a limit. Behind an operator with a memory, a payload that waits for its turn is
  /// delivered with the value of the one before it ([guarantee 16](doc:Guarantees)).
  ///
  /// - Parameters:
  ///   - local: The task-local property, by its `$` name.
  ///   - value: A function that returns the value for a payload. It runs once for each delivery,
  ///     where the slot runs, and only if the target is alive. No lock is held meanwhile.
  /// - Returns: A slot with the same target and place.
  /// - Complexity: O(1) for each delivery, besides the function.
  public func running<Value: Sendable>(
    with local: TaskLocal<Value>, as value: @escaping @Sendable (Payload) -> Value
  ) -> SignalSlot<Payload> {
    switch unsafe request.body {
    case .sync(let call):
      unsafe SignalSlot(
        self, dropsNone: true,
        .sync { target, connection, payload in
          let bound = unsafe value(payload.assumingMemoryBound(to: Payload.self).pointee)
          guard connection.isActive else { return connection.recordDrop() }
          local.withValue(bound) { unsafe call(target, connection, payload) }
        })
    case .async(let makeCall):
      unsafe SignalSlot(
        self, dropsNone: true,
        .async { target, connection, payload in
          let bound = unsafe value(payload.assumingMemoryBound(to: Payload.self).pointee)
          guard connection.isActive else { return nil }
          // An operator before the slot runs here.
          let call = local.withValue(bound) { unsafe makeCall(target, connection, payload) }
          return call.map { call in { await local.withValue(bound) { await call() } } }
        })
    }
  }
}
