extension SignalValue: CustomDebugStringConvertible {
  /// The connections that have not ended, those to ``changes`` included, as data.
  ///
  /// See ``Signal/connections``.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public var connections: [Wiring.Connection] { list.connections }

  /// Lists the live slots, like the description of a ``Signal``, and leaves out the value.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public var debugDescription: String { connections.description(of: Self.self) }
}

extension SignalValue: WiredSource {
  var wired: (list: ConnectionList, type: Any.Type) { (list, Self.self) }
}

extension EmitterValue: WiredSource {
  var wired: (list: ConnectionList, type: Any.Type) { core.signal.wired }
}

extension SignalReplay: WiredSource {
  var wired: (list: ConnectionList, type: Any.Type) { (recording.list, Self.self) }
}
