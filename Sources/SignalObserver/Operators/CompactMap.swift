extension SignalSource {
  /// Sends the result of `transform` for each payload, unless the result is `nil`.
  ///
  /// To keep every result, use ``map(_:)``. To keep the payload itself, use ``filter(_:)``.
  ///
  /// ```swift
  /// field.$text.compactMap { Int($0) }.connect(player, Player.setScore)
  /// ```
  ///
  /// - Parameter transform: A function that runs once for each delivery, in the place of the slot,
  ///   or on the emitting thread if what follows asks for that: see
  ///   <doc:Operators#Where-closures-run>. No lock is held meanwhile.
  /// - Returns: A source of the results that are not `nil`.
  /// - Complexity: O(1) for each delivery, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload) -> Output?
  ) -> some SignalSource<Output> where Payload: Sendable {
    OperatorSource { self.attach($0, behind: "compactMap") { $0.compactAdapted(transform) } }
  }
}
