extension SignalSource {
  /// Sends payloads until another source sends, and then ends the connection.
  ///
  /// ```swift
  /// download.progressed.prefix(until: download.finished).connect(bar, Bar.show)
  /// ```
  ///
  /// The connection ends as by ``SignalObserver/SignalObserver/cancel()``, before the emission of
  /// `other` returns: pending payloads are dropped. But `merge`, `combineLatest`, `zip`,
  /// `reductions(into:)`, `replay` and the operators of time, if they follow, still send what they
  /// have received. If `other` is a value, it sends on connecting, and nothing is sent; use its
  /// ``SignalValue/changes``. If the emitter of `other` dies without having sent, the connection
  /// stays.
  ///
  /// To stop at a condition, use ``prefix(while:)``. To stop after a time, use
  /// ``prefix(for:clock:)``.
  ///
  /// - Parameter other: The source that ends the connection. Its payload does not matter. The
  ///   connection to it ends with this one.
  /// - Returns: A source of the payloads before.
  /// - Complexity: O(1) for each delivery. An inline emission allocates nothing.
  @inlinable
  public func prefix<Other: SignalSource>(until other: Other) -> some SignalSource<Payload> {
    OperatorSource { slot in
      let end = ConnectionEnd()
      // Before the source, which may send on connecting.
      let until = other.attach(
        SignalSlot(.inline, slot.request.origin.fileID, slot.request.origin.line) { _ in end.end() }
      )
      // While the slot is being connected, a call of it may end the connection, and more payloads
      // may follow.
      let slot = slot.filtered { _ in !end.isEnded }.holding(until.scoped()).passing("prefix")
      if end.isEnded {
        // The source must not send. A list that is finished ends each connection at once.
        let nobody = ConnectionList()
        nobody.finish()
        return nobody.attach(slot.request)
      }
      return end.endsAll(self.attach(slot), slot.request)
    }
  }
}
