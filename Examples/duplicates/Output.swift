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
