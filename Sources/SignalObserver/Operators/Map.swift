extension SignalSource {
  /// Sends the result of `transform` for each payload.
  ///
  /// To drop some payloads as well, use ``compactMap(_:)``. For a result that depends on earlier
  /// payloads, use ``scan(_:_:)``.
  ///
  /// ```swift
  /// player.scoreChanged.map { "\($0) points" }.connect(label, Label.show)
  /// ```
  ///
  /// - Parameter transform: A function that runs once for each delivery, in the place of the
  ///   slot, or on the emitting thread if an operator behind it asks for that: see
  ///   <doc:Operators#Where-closures-run>. No lock is held meanwhile. If it returns a tuple of two,
  ///   a method with two parameters can be connected.
  /// - Returns: A source of the results.
  /// - Complexity: O(1) for each delivery, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload) -> Output
  ) -> some SignalSource<Output> where Payload: Sendable {
    OperatorSource { self.attach($0.adapted(transform).passing("map")) }
  }
}
