import CNats
import Foundation

/// One connection of libnats, from success to loss.
///
/// If a connection is lost, the bus makes another one, and does not leave that to libnats. The bus
/// then knows what the server has confirmed on the old connection before it sends anything on the
/// new one.
///
/// `@unchecked Sendable`: libnats guards its connections, and everything else is constant.
final class Connection: @unchecked Sendable {
  /// The functions that a connection calls, on threads of libnats.
  struct Listener: Sendable {
    /// Called once, when the connection and its reader have ended.
    ///
    /// Only the subscriptions are left, and the callee has them destroyed.
    let closed: @Sendable (Subscriptions) -> Void
    let failed: @Sendable (natsStatus, String) -> Void
    /// Called when libnats begins to drop messages, because it has not handed over too many.
    let full: @Sendable () -> Void
  }

  let pointer: OpaquePointer
  let server: ServerAddress
  let subscriptions: Subscriptions
  private let socket: Int32?

  /// Tries a server, and calls `done` with a connection, or with the reason why there is none.
  static func make(
    to server: ServerAddress, _ options: BusOptions, _ listener: Listener,
    _ done: @escaping @Sendable (Result<Connection, BusError>) -> Void
  ) {
    Attempt.run(
      to: server, within: options.timeout,
      { attempt, url in
        Result { () throws(BusError) in try Connection(server, url, options, listener, attempt) }
      }, done)
  }

  private init(
    _ server: ServerAddress, _ url: String, _ options: BusOptions, _ listener: Listener,
    _ attempt: Attempt
  ) throws(BusError) {
    // The settings use OpenSSL, too, until they are destroyed.
    guard LiveConnections.begin() else { throw .closed }
    defer { LiveConnections.end() }
    var settings: OpaquePointer?
    guard natsOptions_Create(&settings) == NATS_OK, let settings else {
      throw lastError(of: server)
    }
    defer { natsOptions_Destroy(settings) }
    // The other half is for messages that were handed over.
    subscriptions = Subscriptions(options.pendingLimit / 2, full: listener.full)
    let handlers = Unmanaged.passRetained(Handlers(subscriptions, listener))
    var status = configure(settings, server, url, options)
    if status == NATS_OK {
      status = natsOptions_SetClosedCB(settings, closedCallback, handlers.toOpaque())
    }
    if status == NATS_OK {
      status = natsOptions_SetErrorHandler(settings, errorCallback, handlers.toOpaque())
    }
    var connection: OpaquePointer?
    if status == NATS_OK {
      // libnats 3.4.1 signs the server's nonce, and sends nothing if the first byte of the signature is
      // 0, as for one nonce of 256. The server refuses that, and has another nonce next time.
      var attempts = options.credentials?.signsNonce == true ? 3 : 1
      repeat {
        status = natsConnection_Connect(&connection, settings)
        attempts -= 1
      } while status == NATS_CONNECTION_AUTH_FAILED && attempts > 0
    }
    guard status == NATS_OK, let connection else {
      // libnats only announces the end of a connection that it has made.
      handlers.release()
      guard attempt.isShut || status == NATS_TIMEOUT else {
        throw lastError(of: server)
      }
      throw .connection(
        reason: "connecting to \(server.url) took longer than \(options.timeout)")
    }
    pointer = connection
    self.server = server
    socket = attempt.takeSocket()
    LiveConnections.add(connection)
    if signalobserver_isOlder(connection, 2, 9) {
      throw .connection(
        reason: "the server \(server.url) is too old; 2.9.0 or newer is needed")
    }
  }

  /// Waits for libnats' threads of this connection, on a queue, so that the caller does not wait.
  deinit {
    // The address is safe to send, because libnats guards its connections. It is an integer,
    // because a pointer is not `Sendable`.
    let (address, socket) = (Int(bitPattern: pointer), socket)
    DispatchQueue.global().async {
      if let pointer = OpaquePointer(bitPattern: address) { LiveConnections.destroy(pointer) }
      if let socket { close(socket) }
    }
  }

  /// Ends the connection at once, whatever libnats waits for.
  func shut() {
    if let socket { Sockets.shut(socket) }
  }

  var isClosed: Bool { natsConnection_IsClosed(pointer) }

  var maxPayload: Int { Int(natsConnection_GetMaxPayload(pointer)) }

  /// The addresses of other servers of the cluster, which the servers have announced.
  var discovered: [String] {
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    var count: Int32 = 0
    guard natsConnection_GetDiscoveredServers(pointer, &list, &count) == NATS_OK, let list else {
      return []
    }
    defer { free(list) }
    return (0..<Int(count)).compactMap { index in
      guard let text = list[index] else { return nil }
      defer { free(text) }
      return String(cString: text)
    }
  }
}

/// The connections of the process, which are closed before it exits.
///
/// If a thread of libnats used OpenSSL while OpenSSL cleans up, the process would crash.
private enum LiveConnections {
  private struct State {
    var live: Set<OpaquePointer> = []
    /// The number of connections that are being made or destroyed.
    var busy = 0
    var isRegistered = false
    var isExiting = false
  }

  private static let state = Locked(State())

  /// Call this before making a connection.
  ///
  /// It returns false if the process is exiting.
  static func begin() -> Bool {
    state.withLock { state in
      if !state.isExiting { state.busy += 1 }
      return !state.isExiting
    }
  }

  static func end() { state.withLock { $0.busy -= 1 } }

  static func add(_ connection: OpaquePointer) {
    let isFirst = state.withLock { state in
      state.live.insert(connection)
      defer { state.isRegistered = true }
      return !state.isRegistered
    }
    // This is registered with the first connection, after OpenSSL's own handler, so it runs before
    // that.
    if isFirst { atexit { LiveConnections.closeAll() } }
  }

  static func destroy(_ connection: OpaquePointer) {
    let isLeft = state.withLock { state in
      if state.isExiting { return true }
      state.live.remove(connection)
      state.busy += 1
      return false
    }
    // The exit closes the socket, and frees the memory.
    if isLeft { return }
    natsConnection_Destroy(connection)
    end()
  }

  private static func closeAll() {
    state.withLock { $0.isExiting = true }
    // An attempt to connect ends in time.
    for _ in 0..<300 {
      if state.withLock({ $0.busy }) == 0 { break }
      usleep(10_000)
    }
    for connection in state.withLock({ $0.live }) { natsConnection_Close(connection) }
  }
}

private final class Handlers: Sendable {
  let subscriptions: Subscriptions
  let listener: Connection.Listener

  init(_ subscriptions: Subscriptions, _ listener: Connection.Listener) {
    self.subscriptions = subscriptions
    self.listener = listener
  }
}

// libnats calls `closedCallback` once for each connection that it has made, after it has waited for
// the reader. It calls nothing after that.

private let closedCallback: natsConnectionHandler = { _, closure in
  guard let closure else { return }
  let handlers = Unmanaged<Handlers>.fromOpaque(closure).takeRetainedValue()
  handlers.listener.closed(handlers.subscriptions)
}

private let errorCallback: natsErrHandler = { _, _, status, closure in
  guard let closure else { return }
  // This is the error of this thread. The connection may already have a later one.
  let reason = nats_GetLastError(nil).map { String(cString: $0) } ?? ""
  Unmanaged<Handlers>.fromOpaque(closure).takeUnretainedValue().listener.failed(status, reason)
}

/// The error of an attempt, which libnats keeps for this thread.
private func lastError(of server: ServerAddress) -> BusError {
  var status = NATS_OK
  var text = nats_GetLastError(&status).map { String(cString: $0) } ?? ""
  // Where in the source of libnats it has happened.
  if text.hasPrefix("("), let place = text.range(of: "): ") {
    text.removeSubrange(..<place.upperBound)
  }
  let name = natsStatus_GetText(status).map { String(cString: $0) } ?? ""
  return .connection(reason: "\(server.url): \(text.isEmpty ? name : "\(name): \(text)")")
}

extension BusOptions.Credentials {
  /// Whether the client signs what the server sends it.
  fileprivate var signsNonce: Bool {
    switch self {
    case .file, .nkey: true
    case .user, .token: false
    }
  }
}

/// A text with the escapes of JSON, in which libnats 3.4.1 sends it as it is.
private func escaped(_ text: String) -> String {
  guard let json = try? JSONEncoder().encode(text) else { return text }
  return String(decoding: json.dropFirst().dropLast(), as: UTF8.self)
}

private func configure(
  _ settings: OpaquePointer, _ server: ServerAddress, _ url: String, _ options: BusOptions
) -> natsStatus {
  var steps: [() -> natsStatus] = [
    { natsOptions_SetURL(settings, url) },
    { natsOptions_SetName(settings, escaped(options.name)) },
    { natsOptions_SetAllowReconnect(settings, false) },
    { natsOptions_SetTimeout(settings, options.timeout.milliseconds) },
    // The link pings the server itself.
    { natsOptions_SetPingInterval(settings, 3_600_000) },
    // If a server reads nothing, the connection ends, and the sender does not wait for ever.
    { natsOptions_SetWriteDeadline(settings, options.timeout.milliseconds) },
    // One thread delivers the messages of all subscriptions.
    { natsOptions_UseGlobalMessageDelivery(settings, true) },
  ]
  switch options.credentials {
  case .user(let user, let password):
    steps.append { natsOptions_SetUserInfo(settings, escaped(user), escaped(password)) }
  case .token(let token): steps.append { natsOptions_SetToken(settings, escaped(token)) }
  case .file(let path):
    steps.append { natsOptions_SetUserCredentialsFromFiles(settings, path, nil) }
  case .nkey(let key, let seedFile):
    steps.append { natsOptions_SetNKeyFromSeed(settings, key, seedFile) }
  case nil:
    if let user = server.user {
      steps.append {
        if let password = server.password {
          natsOptions_SetUserInfo(settings, escaped(user), escaped(password))
        } else {
          natsOptions_SetToken(settings, escaped(user))
        }
      }
    }
  }
  if options.tls != nil || server.isSecure {
    let tls = options.tls ?? BusOptions.TLS()
    // libnats then refuses a server that does not speak TLS, before it sends credentials.
    steps.append { natsOptions_SetSecure(settings, true) }
    steps.append {
      natsOptions_SetExpectedHostname(settings, tls.hostname ?? server.certificateHost)
    }
    if let trusted = tls.trustedCertificates {
      steps.append { natsOptions_LoadCATrustedCertificates(settings, trusted) }
    }
    if let certificate = tls.certificate {
      steps.append {
        natsOptions_LoadCertificatesChain(settings, certificate.chain, certificate.key)
      }
    }
  }
  for step in steps {
    let status = step()
    if status != NATS_OK { return status }
  }
  return NATS_OK
}

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
