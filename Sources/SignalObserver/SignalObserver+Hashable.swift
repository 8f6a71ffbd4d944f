extension SignalObserver: Hashable {
  /// Returns whether both observers are the handle of the same connection.
  ///
  /// - Parameters:
  ///   - left: An observer.
  ///   - right: Another observer.
  /// - Returns: Whether they are the same object.
  public static func == (left: SignalObserver, right: SignalObserver) -> Bool { left === right }

  /// Hashes the identity of the connection.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
