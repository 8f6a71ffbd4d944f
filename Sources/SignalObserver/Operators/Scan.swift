extension SignalSource {
  /// Combines each payload with the last result, and sends the new result.
  ///
  /// `scan(0) { $0 + $1 }` sends running totals. Every connection begins with `initial`, which is
  /// not sent, and keeps its last result. If a result depends on the payload alone, use
  /// ``map(_:)``. To get the payload before instead of a result, use ``pairwise()``.
  ///
  /// ```swift
  /// north.scored.scan(0) { $0 + $1 }.connect(label, Label.showTotal)
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The result before the first payload.
  ///   - next: A function that makes the next result from the last result and a payload. It runs
  ///     once for each payload, in order, in the place of the slot, or on the emitting thread, as
  ///     that of ``map(_:)``. No lock is held meanwhile. What it emits to its own chain follows the
  ///     payload that it gets. If each call emits there, the program stops with a message.
  /// - Returns: A source of results.
  /// - Complexity: O(1) for each delivery, besides the function. An inline emission allocates
  ///   nothing.
  @inlinable
  public func scan<Output: Sendable>(
    _ initial: Output, _ next: @escaping @Sendable (Output, Payload) -> Output
  ) -> some SignalSource<Output> where Payload: Sendable {
    stepped("scan", dropsNone: true, ScanStep(result: initial, next: next))
  }
}

@usableFromInline
struct ScanStep<Source: Sendable, Result: Sendable>: StatefulStep {
  @usableFromInline var result: Result
  @usableFromInline let next: @Sendable (Result, Source) -> Result

  @inlinable
  init(result: Result, next: @escaping @Sendable (Result, Source) -> Result) {
    self.result = result
    self.next = next
  }

  @inlinable
  mutating func next(_ payload: Source) -> Result? {
    result = next(result, payload)
    return result
  }
}
