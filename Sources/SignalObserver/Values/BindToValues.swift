extension SignalSource where Payload: Sendable {
  /// Sets `value` to every payload, on the thread where it was emitted; a value that is bound sets
  /// it at once.
  ///
  /// `value` is held weakly, and the connection ends with it. Cycles are cut: a value is not set by
  /// a binding inside a delivery of its own on the same thread. For two values that are to follow
  /// each other from several threads, there is ``EmitterValue/bond(with:taking:)``.
  @discardableResult
  public func bind(
    to value: EmitterValue<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(value.core, .inline, fileID, line) { core, payload in
        unsafe Emission.unlessInside(core.signal.list) { core.set(payload, from: $0) }
      })
  }

  /// Sets an optional `value` to every payload.
  ///
  /// Otherwise as for one that is not optional.
  @discardableResult
  public func bind(
    to value: EmitterValue<Payload?>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(value.core, .inline, fileID, line) { core, payload in
        unsafe Emission.unlessInside(core.signal.list) { core.set(payload, from: $0) }
      })
  }
}
