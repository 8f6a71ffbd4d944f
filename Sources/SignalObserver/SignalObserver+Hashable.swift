extension SignalObserver: Hashable {
  /// Two observers are equal if they are the handle of the same connection.
  public static func == (left: SignalObserver, right: SignalObserver) -> Bool { left === right }

  /// Hashes the identity of the connection.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
