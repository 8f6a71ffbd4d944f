#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The error of a system call that failed.
struct SystemError: Error, CustomStringConvertible {
  let code: Int32

  /// The error of the call that has just failed.
  static var last: SystemError { SystemError(code: errno) }

  var isBrokenPipe: Bool { code == EPIPE }

  // The text is copied at once; for the errors of files it is a constant of the system.
  var description: String { unsafe String(cString: strerror(code)) }
}
