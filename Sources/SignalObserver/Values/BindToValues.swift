extension SignalSource where Payload: Sendable {
  /// Sets `value` to every payload, on the thread where it was emitted; a value that is bound sets
  /// it at once.
  ///
  /// `value` is held weakly, and the connection ends with it. Cycles are cut: bindings do not set a
  /// value to what has come from there by bindings alone. They pass on the values that a slot sets.
  /// For two values that are to follow each other from several threads, there is
  /// ``EmitterValue/bond(givingTo:)``.
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
  /// Otherwise as for one that is not optional.
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
  /// Sets the value to what the innermost emission in progress on this thread sends, unless that is
  /// a change that has come from here and not been replaced by an older one.
  fileprivate func pass(_ value: Value) {
    let (cause, isReturning) = Cause.passing(to: signal.list)
    set(value, from: currentIsolation(), cause: cause, ifNewer: isReturning)
  }
}
