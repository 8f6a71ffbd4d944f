import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Synchronization
import Testing

/// A server of a test's own, with its store, both gone at the end.
final class TestServer: Sendable {
  let server: NATSServer
  let folder: URL

  init(arguments: [String] = []) throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "signalobserver-nats-\(UUID().uuidString)")
    server = try NATSServer(store: folder, arguments: arguments)
  }

  deinit {
    server.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  func bus(_ options: BusOptions = BusOptions()) async throws -> Bus {
    try await Bus(server.url, options: options)
  }
}

/// What slots were called with, and a wait for it that ends.
final class Trace<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }
  var count: Int { elements.withLock { $0.count } }

  func append(_ element: Element) { elements.withLock { $0.append(element) } }

  /// Waits until there are `count`, and returns what there is then.
  func wait(for count: Int, seconds: Double = 30) async -> [Element] {
    await until(seconds: seconds) { self.count >= count }
    return all
  }
}

/// Looks again and again until a condition holds, or the time is over.
@discardableResult
func until(seconds: Double = 30, _ condition: () -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return condition()
}
