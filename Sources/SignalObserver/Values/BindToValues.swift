extension SignalSource where Payload: Sendable {
  /// Sets `value` to each payload, on the emitting thread.
  ///
  /// ```swift
  /// model.$title.bind(to: field)
  /// ```
  ///
  /// If the source is a value, `value` is set to the current value at once. A binding copies in one
  /// direction. To keep two values equal whichever of them is set, use
  /// ``EmitterValue/bond(givingTo:fileID:line:)``.
  ///
  /// The connection holds `value` weakly, and ends with it. A payload sets nothing if it equals the
  /// value, and the two can be compared, or if it returns: `value` itself has sent it, and only
  /// bindings and operators have passed it on. So circles of bindings end. <doc:Values> has the
  /// exact rule. A `didSet` of a property that the emitter wraps does not run.
  ///
  /// - Parameters:
  ///   - value: The value to set. An optional value fits a payload that is not optional.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised.
  @inlinable @discardableResult
  public func bind(
    to value: EmitterValue<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    pass(to: value.core, fileID, line) { $0 }
  }

  /// Sets an optional `value` to each payload, on the emitting thread.
  ///
  /// Everything else is as for a value that is not optional.
  @inlinable @discardableResult
  public func bind(
    to value: EmitterValue<Payload?>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    pass(to: value.core, fileID, line) { $0 }
  }

  @inlinable
  func pass<Value: Sendable>(
    to core: ValueCore<Value>, _ fileID: StaticString, _ line: UInt32,
    _ value: @escaping @Sendable (Payload) -> Value
  ) -> SignalObserver {
    let areEqual = equality(of: Value.self)
    return attach(
      SignalSlot(core, .inline, fileID, line) { core, payload in
        core.signal.pass(value(payload), from: currentIsolation(), areEqual)
        // A slot may drop the emitter.
        holdUntilHere(core)
      }.feeding(core.signal.list, of: SignalValue<Value>.self, by: "bind"))
  }
}
