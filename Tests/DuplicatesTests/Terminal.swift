import Foundation

/// A terminal that keeps what is drawn on it.
final class Terminal {
  /// What the program draws on.
  let device: FileHandle
  private let screen: Int32

  init() throws {
    var descriptors: (screen: Int32, device: Int32) = (-1, -1)
    let result = unsafe openpty(&descriptors.screen, &descriptors.device, nil, nil, nil)
    if result != 0 { throw POSIXError(.ENOTTY) }
    screen = descriptors.screen
    device = FileHandle(fileDescriptor: descriptors.device, closeOnDealloc: true)
  }

  deinit { close(screen) }

  /// Returns what was drawn as soon as it is `complete`, or else when the program draws nothing
  /// more.
  ///
  /// The system takes its time from one end of a terminal to the other.
  func drawn(until complete: (String) -> Bool) -> String {
    var drawn = ""
    var bytes = [UInt8](repeating: 0, count: 4096)
    while !complete(drawn) {
      var wait = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&wait, 1, 10_000) != 1 { break }
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(screen, $0.baseAddress, $0.count)
      }
      if count <= 0 { break }
      drawn += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    return drawn
  }
}
