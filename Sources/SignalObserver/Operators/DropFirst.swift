extension SignalSource {
  /// Drops the first `count` payloads of each connection, and sends all others.
  ///
  /// ```swift
  /// player.$title.dropFirst().connect(label, Label.show)  // not the current title
  /// ```
  ///
  /// Use this to ignore what a source sends at first, such as the current value of a value. To get
  /// the old value with each new one, use ``SignalValue/changes``. To keep the first payloads
  /// instead, use ``prefix(_:)``.
  ///
  /// If you have read the current value before, another thread may have set the value since, and
  /// this drops what it has set. To show the current value now and later ones on a queue, first
  /// connect to ``SignalValue/changes``, and then read the value.
  ///
  /// Payloads are counted where the slot runs, or on the emitting thread if what follows asks for
  /// that: see <doc:Operators#Where-closures-run>. Exactly `count` payloads are dropped, even if
  /// threads emit to an inline slot at the same time.
  ///
  /// - Parameter count: The number of payloads to drop.
  /// - Returns: A source of the payloads after those.
  /// - Complexity: O(1) for each delivery. An inline emission allocates nothing.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> some SignalSource<Payload> {
    precondition(count >= 0, "dropFirst(_:) takes a count of at least 0")
    return OperatorSource { slot in
      let dropped = Quota(count)
      return self.attach(slot, behind: "dropFirst") { $0.filtered { _ in dropped.take() == nil } }
    }
  }
}
