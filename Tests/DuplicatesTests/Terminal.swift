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

  /// Returns what was drawn until now; whoever draws must have ended.
  func drawn() -> String {
    // Reading does not wait for more than there is.
    _ = fcntl(screen, F_SETFL, O_NONBLOCK)
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(screen, $0.baseAddress, $0.count)
    }
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}
