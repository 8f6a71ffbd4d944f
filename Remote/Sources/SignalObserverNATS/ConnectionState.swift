/// The state of a bus's connection to its servers.
public enum ConnectionState: Sendable, Hashable {
  /// The first connection is being made.
  case connecting
  /// The bus is connected to a server.
  case connected
  /// The connection is lost, and the bus tries the servers one after the other.
  case reconnecting
  /// The bus was closed or dropped, or its first connection failed.
  case closed
}
