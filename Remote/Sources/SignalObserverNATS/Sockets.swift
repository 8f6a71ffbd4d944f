import Foundation

/// The sockets of this process, by the port to which they are connected.
///
/// libnats 3.4.1 has no way to end a handshake. Its deadline does not cover all of a handshake, and
/// a TLS handshake has none. Shutting the socket down ends any handshake.
enum Sockets {
  static func connected(to port: Int) -> Set<Int32> {
    guard let folder = opendir("/dev/fd") else { return [] }
    defer { closedir(folder) }
    var found: Set<Int32> = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let socket = Int32(name), peerPort(of: socket) == port { found.insert(socket) }
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

  private static func peerPort(of socket: Int32) -> Int? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // Both kinds of addresses have the port in the same place.
    return withUnsafeMutablePointer(to: &address) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int? in
        guard getpeername(socket, address, &length) == 0,
          [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
        else { return nil }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          Int(UInt16(bigEndian: $0.pointee.sin_port))
        }
      }
    }
  }
}
