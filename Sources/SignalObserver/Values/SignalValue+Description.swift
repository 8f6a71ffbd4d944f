extension SignalValue: CustomDebugStringConvertible {
  /// Lists the live slots, as the one of ``Signal`` does; the value itself is left out.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public var debugDescription: String { list.description(of: Self.self) }
}
