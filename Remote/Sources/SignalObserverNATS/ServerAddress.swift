import Foundation

/// The address of a server, with everything that it contains.
struct ServerAddress: Sendable, Hashable {
  let host: String
  let port: Int
  /// Whether the address says `tls://`.
  let isSecure: Bool
  /// The user or the token before the host.
  let user: String?
  let password: String?
  /// The name that the certificate must have, unless the options contain one.
  var certificateHost: String

  /// Reads `nats://host:port`, `tls://user:password@host:port` and the like.
  init(_ text: String) throws(BusError) {
    guard let parts = URLComponents(string: text.contains("://") ? text : "nats://\(text)"),
      let host = parts.host, !host.isEmpty, let scheme = parts.scheme,
      ["nats", "tls"].contains(scheme)
    else {
      throw .connection(reason: "\"\(Self.withoutCredentials(text))\" is no server's address")
    }
    self.host = host
    port = parts.port ?? 4222
    isSecure = scheme == "tls"
    user = parts.user
    password = parts.password
    certificateHost = host.trimmingCharacters(in: ["[", "]"])
  }

  /// Reads the address of another server of the same cluster, as a server announces it:
  /// `host:port`.
  init?(discovered text: String, by known: ServerAddress) {
    guard let found = try? ServerAddress(text) else { return nil }
    host = found.host
    port = found.port
    isSecure = known.isSecure
    user = known.user
    password = known.password
    // Servers announce numeric addresses, for which there are no certificates.
    let isNumber = found.host.allSatisfy { $0.isHexDigit || ".:[]".contains($0) }
    certificateHost = isNumber ? known.certificateHost : found.certificateHost
  }

  /// The address without credentials.
  var url: String { "nats://\(host):\(port)" }

  func isSamePlace(as other: ServerAddress) -> Bool { host == other.host && port == other.port }

  private static func withoutCredentials(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    return String(text[text.index(after: at)...])
  }
}

/// The servers of a bus, which it tries in turn: those that it was given, and those that they have
/// announced.
struct ServerList {
  private(set) var servers: [ServerAddress]
  private var next = 0

  init(_ texts: [String]) throws(BusError) {
    servers = []
    for text in texts { servers.append(try ServerAddress(text)) }
    if servers.isEmpty { throw .connection(reason: "no server is named") }
    // This spreads the clients of a cluster over its servers.
    servers.shuffle()
  }

  mutating func takeNext() -> ServerAddress {
    defer { next += 1 }
    return servers[next % servers.count]
  }

  mutating func add(_ discovered: [String], by known: ServerAddress) {
    for text in discovered {
      guard let server = ServerAddress(discovered: text, by: known) else { continue }
      if !servers.contains(where: { $0.isSamePlace(as: server) }) { servers.append(server) }
    }
  }
}
