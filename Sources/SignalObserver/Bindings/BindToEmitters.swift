extension SignalSource where Payload: Sendable {
  /// Emits every payload again, from `emitter`, on the emitting thread.
  ///
  /// ```swift
  /// func follow(_ team: Team) { team.scored.bind(to: _scored) }
  /// ```
  ///
  /// The connection holds `emitter` weakly, and ends with it. Bindings may form a cycle: `emitter`
  /// does not emit a payload again that returns to it through bindings alone. If a slot emits a
  /// payload, that is a new one.
  ///
  /// To send something else than the payload, connect a closure that calls
  /// ``Emitter/invoke(_:isolation:)``.
  ///
  /// - Parameters:
  ///   - emitter: The emitter to bind to.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The handle of the connection.
  /// - Complexity: That of one `connect`.
  @inlinable @discardableResult
  public func bind(
    to emitter: Emitter<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(emitter.core, .inline, fileID, line) { core, payload in
        let list = core.signal.list
        if Cause.returns(to: list) { return }
        list.emit(payload, from: currentIsolation(), because: .passing)
        // A slot may drop the emitter.
        holdUntilHere(core)
      }.feeding(emitter.core.signal.list, of: Signal<Payload>.self, by: "bind"))
  }

  /// Refuses a binding to what cannot send.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "bind to the emitter, not to its signal: write bind(to: _name)"
  )
  @discardableResult
  public func bind<Other: SignalSource>(to other: Other) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a closure, to which other libraries bind.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write connect { payload in … }, or bind(to: \\.property, of: object)"
  )
  @discardableResult
  public func bind(_ body: (Payload) async -> Void) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a copy of what a property holds.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "this passes the current value of the property: write bind(to: \\.property, of: object)"
  )
  @discardableResult
  public func bind(to value: Payload) -> SignalObserver { fatalError("unavailable") }
}
