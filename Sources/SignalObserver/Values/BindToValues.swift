extension SignalSource where Payload: Sendable {
  /// Sets `value` to every payload, on the emitting thread.
  ///
  /// If the source is a value, binding sets `value` to the current value at once.
  ///
  /// `value` is held weakly, and the connection ends with it. Bindings cut cycles: a payload that
  /// has come from `value` by bindings alone does not set it again. The values that a slot sets are
  /// passed on. If two values follow each other, and several threads set them, use
  /// ``EmitterValue/bond(givingTo:)``.
  ///
  /// - Parameters:
  ///   - value: The value to set. An optional value fits a payload that is not optional.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The handle of the connection.
  @discardableResult
  public func bind(
    to value: EmitterValue<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Cause.beginStamps()
    return attach(
      SignalSlot(value.core, .inline, fileID, line) { core, payload in
        core.pass(payload)
      })
  }

  /// Sets an optional `value` to every payload.
  ///
  /// Everything else is as for a value that is not optional.
  @discardableResult
  public func bind(
    to value: EmitterValue<Payload?>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Cause.beginStamps()
    return attach(
      SignalSlot(value.core, .inline, fileID, line) { core, payload in
        core.pass(payload)
      })
  }
}

extension ValueCore {
  /// Sets the value to a payload of the innermost emission in progress on this thread.
  ///
  /// A change that has come from here sets the value only if an older change has replaced it
  /// meanwhile.
  fileprivate func pass(_ value: Value) {
    let (cause, isReturning) = Cause.passing(to: signal.list)
    set(value, from: currentIsolation(), cause: cause, ifNewer: isReturning)
  }
}
