import Foundation
import SignalObserverNATS
import Synchronization

/// A socket that does not block, and is closed with its object at the latest.
final class Socket: Sendable {
  let number: Int32
  private let isClosed = Atomic(false)

  private init(_ number: Int32) {
    self.number = number
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    // Answers are small, and must not wait for more.
    Self.set(number, Int32(IPPROTO_TCP), TCP_NODELAY)
    #if canImport(Darwin)
      Self.set(number, SOL_SOCKET, SO_NOSIGPIPE)
    #endif
  }

  deinit { close() }

  func close() {
    if !isClosed.exchange(true, ordering: .relaxed) { Foundation.close(number) }
  }

  /// Returns a socket that listens on a port of the loopback address, and the port.
  ///
  /// For 0, it takes a free one.
  static func listening(on port: Int) throws(BusError) -> (socket: Socket, port: Int) {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let number = Foundation.socket(AF_INET, kind, 0)
    if number < 0 { throw failure }
    set(number, SOL_SOCKET, SO_REUSEADDR)
    let socket = Socket(number)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(number, address, length) == 0 && listen(number, 128) == 0
          && getsockname(number, address, &length) == 0
      }
    }
    if !isListening { throw failure }
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Returns a connection that waits to be taken.
  func accept() -> Socket? {
    let number = Foundation.accept(number, nil, nil)
    return number < 0 ? nil : Socket(number)
  }

  func send(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    return Foundation.send(number, bytes.baseAddress, bytes.count, flags)
  }

  func shut() { shutdown(number, Int32(SHUT_RDWR)) }

  private static func set(_ number: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    setsockopt(number, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static var failure: BusError {
    .connection(reason: "no port for the server: \(String(cString: strerror(errno)))")
  }
}
