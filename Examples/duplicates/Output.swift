import SignalObserver

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Standard output or standard error, for whole lines, or for bytes that no terminal shows.
///
/// It announces each write to objects that draw on the same terminal.
@MainActor
final class Output {
  @EmitterVoid var willWrite
  @EmitterVoid var didWrite
  /// Sends the first error.
  ///
  /// Nothing is written after it.
  @EmitterArg<SystemError> var failed

  private let descriptor: Int32
  private var isBroken = false

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  var isTerminal: Bool { isatty(descriptor) == 1 }

  func write(_ text: String) { write(bytes: text.utf8) }

  func write(bytes: some Sequence<UInt8>) {
    if isBroken { return }
    _willWrite.invoke()
    defer { _didWrite.invoke() }
    do {
      try writeAll(bytes, to: descriptor)
    } catch {
      isBroken = true
      _failed.invoke(error)
    }
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Writes all of `bytes`, with as many calls as necessary.
func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) throws(SystemError) {
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno != EINTR { throw .last }
    rest = rest.dropFirst(max(count, 0))
  }
}

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
