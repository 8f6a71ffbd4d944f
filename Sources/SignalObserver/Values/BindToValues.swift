extension SignalSource where Payload: Sendable {
  /// Sets `value` to each payload, on the emitting thread.
  ///
  /// ```swift
  /// model.$title.bind(to: field)
  /// ```
  ///
  /// If the source is a value, `value` is set to the current value at once. A binding copies in one
  /// direction. To keep two values equal whichever of them is set, use
  /// ``EmitterValue/bond(givingTo:)``.
  ///
  /// The connection holds `value` weakly, and ends with it. A payload that equals the value sets
  /// nothing, if the two can be compared. Bindings in a cycle therefore settle. <doc:Values> has
  /// the exact rule.
  ///
  /// - Parameters:
  ///   - value: The value to set. For an optional value, write `map(Optional.some)` before.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised.
  @discardableResult
  public func bind(
    to value: EmitterValue<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    Cause.beginStamps()
    let areEqual = equality(of: Payload.self)
    return attach(
      SignalSlot(value.core, .inline, fileID, line) { core, payload in
        core.pass(payload, Cause.passing(), areEqual)
      }.feeding(value.core.signal.list, of: SignalValue<Payload>.self, by: "bind"))
  }
}

extension ValueCore {
  /// Sets the value to a payload that a binding passes on.
  ///
  /// It holds the emitter meanwhile.
  func pass(_ value: Value, _ cause: Cause, _ areEqual: ((Value, Value) -> Bool)?) {
    signal.pass(value, from: currentIsolation(), cause, areEqual)
    holdUntilHere(self)
  }
}
