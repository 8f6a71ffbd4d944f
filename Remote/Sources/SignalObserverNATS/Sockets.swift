import Foundation

/// The sockets of this process, by the address to which they are connected.
///
/// libnats 3.4.1 has no way to end a handshake. Its deadline does not cover all of a handshake, and
/// a TLS handshake has none. Shutting the socket down ends any handshake.
enum Sockets {
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

  static func connected(to addresses: Set<String>) -> Set<Int32> {
    guard let folder = opendir("/dev/fd") else { return [] }
    defer { closedir(folder) }
    var found: Set<Int32> = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let socket = Int32(name), let peer = peer(of: socket), addresses.contains(peer) {
        found.insert(socket)
      }
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

  /// The address to which a socket is connected; nil if it is not, or not over IP.
  private static func peer(of socket: Int32) -> String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getpeername(socket, address, &length) == 0
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
