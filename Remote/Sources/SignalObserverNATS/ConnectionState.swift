/// How a bus stands to its servers.
public enum ConnectionState: Sendable, Hashable {
  /// The first connection is being made.
  case connecting
  /// A server answers.
  case connected
  /// The connection is lost, and the servers are tried one after the other.
  case reconnecting
  /// The bus was closed or dropped, or its first connection failed.
  case closed
}
