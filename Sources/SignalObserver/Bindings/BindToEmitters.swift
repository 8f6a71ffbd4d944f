extension SignalSource where Payload: Sendable {
  /// Emits every payload from `emitter`, too, on the thread where it was emitted.
  ///
  /// `emitter` is held weakly, and the connection ends with it. Cycles are cut: an emitter is not
  /// called by a binding inside an emission of its own on the same thread.
  @discardableResult
  public func bind(
    to emitter: Emitter<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(emitter.core, .inline, fileID, line) { core, payload in
        unsafe Emission.unlessInside(core.signal.list) { core.signal.emit(payload, from: $0) }
      })
  }
}
