extension SignalSource where Payload: Sendable {
  /// Emits every payload from `emitter`, too, on the emitting thread.
  ///
  /// `emitter` is held weakly, and the connection ends with it. Bindings cut cycles: a payload that
  /// has come from this emitter by bindings alone is not emitted again. The payloads that a slot
  /// emits are passed on.
  ///
  /// - Parameters:
  ///   - emitter: The emitter to bind to.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The handle of the connection.
  @discardableResult
  public func bind(
    to emitter: Emitter<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(emitter.core, .inline, fileID, line) { core, payload in
        let list = core.signal.list
        let (cause, isReturning) = Cause.passing(to: list)
        if isReturning { return }
        // Held during the emission, because a slot may drop the emitter.
        withExtendedLifetime(core) {
          unsafe withUnsafePointer(to: payload) {
            unsafe list.emit($0, from: currentIsolation(), because: cause)
          }
        }
      })
  }
}
