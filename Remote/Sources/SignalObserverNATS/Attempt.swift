import CNats
import Foundation

/// One attempt to connect, which ends in time, whatever the server does.
///
/// A process makes its attempts to one address one after the other. A socket that is connected to the
/// address during an attempt therefore belongs to that attempt.
final class Attempt: Sendable {
  private static let queues = Locked<[String: DispatchQueue]>([:])
  private static let watching = DispatchQueue(label: "signalobserver.nats.attempts")

  /// The addresses of the server's host, with its port.
  private let addresses: Set<String>
  private let known: Set<Sockets.Socket>
  private let state = Locked((isDone: false, isShut: false))

  private init(_ addresses: Set<String>) {
    self.addresses = addresses
    known = Sockets.connected(to: addresses)
  }

  /// Runs `body`, which blocks, on a queue for the server's address, and passes it the attempt, which
  /// finds the socket, and the address.
  ///
  /// If a name has several addresses, it runs for one after the other, in any order, until it returns
  /// a connection.
  static func run(
    to server: ServerAddress, within limit: Duration,
    _ body: @escaping @Sendable (Attempt, _ url: String) -> Result<Connection, BusError>,
    _ done: @escaping @Sendable (Result<Connection, BusError>) -> Void
  ) {
    // It may take long to look a name up.
    DispatchQueue.global().async {
      let addresses = Sockets.addresses(of: server.host, server.port)
      // Of a host with several addresses, all attempts take the queue of the same one.
      let key = addresses.min() ?? server.url
      let queue = queues.withLock { queues in
        let queue = queues[key] ?? DispatchQueue(label: "signalobserver.nats.connect \(key)")
        queues[key] = queue
        return queue
      }
      queue.async {
        var urls = addresses.count < 2 ? [server.url] : addresses.shuffled().map { "nats://\($0)" }
        while let url = urls.popLast() {
          let attempt = Attempt(addresses)
          attempt.watch(limit)
          let result = body(attempt, url)
          attempt.state.withLock { $0.isDone = true }
          if case .failure = result, !urls.isEmpty { continue }
          return done(result)
        }
      }
    }
  }

  /// Whether the attempt was ended because it took too long.
  var isShut: Bool { state.withLock { $0.isShut } }

  /// A duplicate of the socket that was connected during the attempt, if it is the only one.
  func takeSocket() -> Int32? {
    state.withLock { $0.isDone = true }
    let new = Sockets.connected(to: addresses).subtracting(known)
    return new.count == 1 ? new.first.flatMap { Sockets.duplicate($0.number) } : nil
  }

  private func watch(_ limit: Duration) {
    Self.watching.asyncAfter(deadline: .now() + .nanoseconds(Int(limit.nanoseconds))) { [self] in
      let isDone = state.withLock { state in
        if !state.isDone {
          state.isShut = true
          for socket in Sockets.connected(to: addresses).subtracting(known) {
            Sockets.shut(socket.number)
          }
        }
        return state.isDone
      }
      // libnats looks the name up, too, and has no socket until then.
      if !isDone { watch(.milliseconds(200)) }
    }
  }
}

/// The sockets of this process, by the address to which they are connected.
///
/// libnats 3.4.1 has no way to end a handshake. Its deadline does not cover all of a handshake, and
/// a TLS handshake has none. Shutting the socket down ends any handshake.
enum Sockets {
  /// A socket, by its number and its own address: another socket may get the number later.
  struct Socket: Hashable {
    let number: Int32
    let address: String
  }

  /// Returns the addresses of a host, with a port, as numbers; none if nobody knows the host.
  static func addresses(of host: String, _ port: Int) -> Set<String> {
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host.trimmingCharacters(in: ["[", "]"]), "\(port)", nil, &list) == 0 else {
      return []
    }
    defer { freeaddrinfo(list) }
    return Set(
      sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }
        .compactMap { $0.flatMap { text(of: $0.pointee.ai_addr, $0.pointee.ai_addrlen) } })
  }

  static func connected(to addresses: Set<String>) -> Set<Socket> {
    guard let folder = opendir("/dev/fd") else { return [] }
    defer { closedir(folder) }
    var found: Set<Socket> = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let number = Int32(name), let peer = address(of: number, getpeername),
        addresses.contains(peer), let own = address(of: number, getsockname)
      else { continue }
      found.insert(Socket(number: number, address: own))
    }
    return found
  }

  /// Returns another socket for the same connection.
  ///
  /// Its number belongs to the caller, so no other socket can get it.
  static func duplicate(_ socket: Int32) -> Int32? {
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    return copy < 0 ? nil : copy
  }

  static func shut(_ socket: Int32) { shutdown(socket, Int32(SHUT_RDWR)) }

  /// The address of one end of a socket; nil if it is not connected, or not over IP.
  private static func address(
    of socket: Int32,
    _ end: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        end(socket, address, &length) == 0
          && [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
          ? text(of: address, length) : nil
      }
    }
  }

  private static func text(of address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> String? {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let isKnown = getnameinfo(
      address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
      NI_NUMERICHOST | NI_NUMERICSERV)
    let texts = [host, port].map { text in
      String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    // An address of IPv6 has colons of its own.
    let name = texts[0].contains(":") ? "[\(texts[0])]" : texts[0]
    return isKnown == 0 ? "\(name):\(texts[1])" : nil
  }
}
