extension SignalValue: CustomDebugStringConvertible {
  /// Lists the live slots, like the description of a ``Signal``, and leaves out the value.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public var debugDescription: String { list.description(of: Self.self) }
}
