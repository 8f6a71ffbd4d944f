extension SignalSource {
  /// Sends only the payloads for which `isIncluded` returns true.
  ///
  /// To change the payloads that pass, use ``compactMap(_:)``. To end the connection at the first
  /// payload that does not pass, use ``prefix(while:)``.
  ///
  /// ```swift
  /// player.scoreChanged.filter { $0 > 100 }.connect(label, Label.celebrate)
  /// ```
  ///
  /// Each connection tests each payload. If a thousand slots each wait for one of a thousand keys,
  /// give each key an emitter: see <doc:ReplacingYourListenerList#Keys>.
  ///
  /// - Parameter isIncluded: A function that runs once for each delivery, in the place of the slot,
  ///   or on the emitting thread if what follows asks for that: see
  ///   <doc:Operators#Where-closures-run>. No lock is held meanwhile.
  /// - Returns: A source of some of the payloads.
  /// - Complexity: O(1) for each delivery, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func filter(
    _ isIncluded: @escaping @Sendable (Payload) -> Bool
  ) -> some SignalSource<Payload> {
    OperatorSource { self.attach($0, behind: "filter") { $0.filtered(isIncluded) } }
  }
}
