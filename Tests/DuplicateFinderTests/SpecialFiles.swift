import DuplicateFinder
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A system call of a test's own preparations that failed.
struct PreparationError: Error {
  let code = errno
}

/// Creates a pipe that nobody writes to, and a socket, which is open until it is closed.
func makePipeAndSocket(_ pipe: Path, _ socketPath: Path) throws -> Int32 {
  if unsafe pipe.withCString({ unsafe mkfifo($0, 0o600) }) != 0 { throw PreparationError() }
  #if canImport(Darwin)
    let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
  #else
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  #endif
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
    unsafe bytes.copyBytes(from: socketPath.bytes.prefix(bytes.count - 1))
  }
  let size = socklen_t(MemoryLayout<sockaddr_un>.size)
  let result = unsafe withUnsafePointer(to: address) { address in
    unsafe bind(descriptor, UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self), size)
  }
  if result != 0 { throw PreparationError() }
  return descriptor
}
