import CNats
import Foundation

/// One connection of libnats, from success to loss.
///
/// A bus makes another when one is lost, instead of letting libnats do so: what was sent on a
/// connection is then known to be confirmed, or not, before anything is sent on the next.
///
/// `@unchecked Sendable`: libnats guards its connections.
final class Connection: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Tries the servers one after the other, and waits for each.
  ///
  /// `closed` is called once, on a thread of libnats, when the connection is lost.
  init(
    _ servers: [String], _ options: BusOptions, closed: @escaping @Sendable () -> Void,
    slow: @escaping @Sendable () -> Void
  ) throws(BusError) {
    var settings: OpaquePointer?
    guard natsOptions_Create(&settings) == NATS_OK, let settings else { throw lastError() }
    defer { natsOptions_Destroy(settings) }
    let handlers = Unmanaged.passRetained(Handlers(closed, slow))
    var status = configure(settings, servers, options)
    if status == NATS_OK {
      status = natsOptions_SetClosedCB(settings, closedCallback, handlers.toOpaque())
    }
    if status == NATS_OK {
      status = natsOptions_SetErrorHandler(settings, errorCallback, handlers.toOpaque())
    }
    var connection: OpaquePointer?
    if status == NATS_OK { status = natsConnection_Connect(&connection, settings) }
    guard status == NATS_OK, let connection else {
      // libnats announces the end of a connection that it had made, and of no other.
      handlers.release()
      throw lastError()
    }
    pointer = connection
  }

  /// Waits for libnats' threads of this connection; never on one of them, since they hold none.
  deinit { natsConnection_Destroy(pointer) }

  var maxPayload: Int { Int(natsConnection_GetMaxPayload(pointer)) }

  /// The addresses that the servers told of each other.
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

private final class Handlers: Sendable {
  let closed: @Sendable () -> Void
  let slow: @Sendable () -> Void

  init(_ closed: @escaping @Sendable () -> Void, _ slow: @escaping @Sendable () -> Void) {
    self.closed = closed
    self.slow = slow
  }
}

// libnats calls `closedCallback` once for each connection that it has made, and nothing after it.

private let closedCallback: natsConnectionHandler = { _, closure in
  guard let closure else { return }
  Unmanaged<Handlers>.fromOpaque(closure).takeRetainedValue().closed()
}

private let errorCallback: natsErrHandler = { _, _, status, closure in
  guard let closure, status == NATS_SLOW_CONSUMER else { return }
  Unmanaged<Handlers>.fromOpaque(closure).takeUnretainedValue().slow()
}

/// The error that libnats keeps for this thread.
func lastError() -> BusError {
  var status = NATS_OK
  let text = nats_GetLastError(&status).map { String(cString: $0) } ?? ""
  let name = natsStatus_GetText(status).map { String(cString: $0) } ?? ""
  return .connection(reason: text.isEmpty ? name : "\(name): \(text)")
}

private func configure(
  _ settings: OpaquePointer, _ servers: [String], _ options: BusOptions
) -> natsStatus {
  var steps: [() -> natsStatus] = [
    {
      let texts = servers.map { strdup($0) }
      defer { for text in texts { free(text) } }
      var list = texts.map { UnsafePointer($0) }
      return natsOptions_SetServers(settings, &list, Int32(list.count))
    },
    { natsOptions_SetName(settings, options.name) },
    { natsOptions_SetAllowReconnect(settings, false) },
    { natsOptions_SetTimeout(settings, options.timeout.milliseconds) },
    { natsOptions_SetPingInterval(settings, options.pingInterval.milliseconds) },
    { natsOptions_SetMaxPingsOut(settings, 2) },
    // A server that takes nothing ends the connection, and does not keep the sender.
    { natsOptions_SetWriteDeadline(settings, 2 * options.timeout.milliseconds) },
    // Messages come on one thread for all subscriptions, not on one for each.
    { natsOptions_UseGlobalMessageDelivery(settings, true) },
  ]
  switch options.credentials {
  case .user(let user, let password):
    steps.append { natsOptions_SetUserInfo(settings, user, password) }
  case .token(let token): steps.append { natsOptions_SetToken(settings, token) }
  case .file(let path):
    steps.append { natsOptions_SetUserCredentialsFromFiles(settings, path, nil) }
  case .nkey(let key, let seedFile):
    steps.append { natsOptions_SetNKeyFromSeed(settings, key, seedFile) }
  case nil: break
  }
  if let tls = options.tls {
    steps.append { natsOptions_SetSecure(settings, true) }
    if let trusted = tls.trustedCertificates {
      steps.append { natsOptions_LoadCATrustedCertificates(settings, trusted) }
    }
    if let certificate = tls.certificate {
      steps.append {
        natsOptions_LoadCertificatesChain(settings, certificate.chain, certificate.key)
      }
    }
    if let hostname = tls.hostname {
      steps.append { natsOptions_SetExpectedHostname(settings, hostname) }
    }
  }
  for step in steps {
    let status = step()
    if status != NATS_OK { return status }
  }
  return NATS_OK
}
