import Foundation
import NATSServer
import Synchronization

/// A way to a server on which answers can be lost, be changed, or take their time.
final class Proxy: Sendable {
  private struct State {
    var swallowsAnswers = false
    var delay = Duration.zero
    var replacements: [String: String] = [:]
    var sentCount = 0
    var sockets: [Int32] = []
  }

  let port: Int
  private let listener: Int32
  private let state: Shared

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  init(to server: Int) throws {
    (listener, port) = try NATSServer.listen()
    state = Shared()
    let (listener, state) = (listener, state)
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        guard let upstream = try? NATSServer.connect(to: server) else {
          close(client)
          continue
        }
        state.state.withLock { $0.sockets += [client, upstream] }
        Thread.detachNewThread {
          Self.forward(client, upstream) { count in
            state.state.withLock { $0.sentCount += count }
            return (false, .zero, [:])
          }
        }
        Thread.detachNewThread {
          Self.forward(upstream, client) { _ in
            state.state.withLock { ($0.swallowsAnswers, $0.delay, $0.replacements) }
          }
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    cut()
  }

  var url: String { "nats://127.0.0.1:\(port)" }

  /// Whether nothing that the server says arrives.
  var swallowsAnswers: Bool {
    get { state.state.withLock { $0.swallowsAnswers } }
    set { state.state.withLock { $0.swallowsAnswers = newValue } }
  }

  /// How long everything that the server says is under way.
  var delay: Duration {
    get { state.state.withLock { $0.delay } }
    set { state.state.withLock { $0.delay = newValue } }
  }

  /// What takes the place of texts in what the server says; each is as long as the text.
  var replacements: [String: String] {
    get { state.state.withLock { $0.replacements } }
    set { state.state.withLock { $0.replacements = newValue } }
  }

  /// How many bytes the clients have sent.
  var sentCount: Int { state.state.withLock { $0.sentCount } }

  /// Ends every connection.
  func cut() {
    let sockets = state.state.withLock { state in
      defer { state.sockets = [] }
      return state.sockets
    }
    for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  private static func forward(
    _ from: Int32, _ to: Int32, _ faults: (Int) -> (Bool, Duration, [String: String])
  ) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(from, &buffer, buffer.count, 0)
      if count <= 0 { break }
      let (isSwallowed, delay, replacements) = faults(count)
      if isSwallowed { continue }
      for (text, other) in replacements {
        for range in buffer[..<count].ranges(of: Array(text.utf8)) {
          buffer.replaceSubrange(range, with: other.utf8)
        }
      }
      Thread.sleep(forTimeInterval: delay / .seconds(1))
      var sent = 0
      while sent < count {
        let step = buffer[sent..<count].withUnsafeBytes {
          send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if step <= 0 { break }
        sent += step
      }
    }
    shutdown(to, Int32(SHUT_RDWR))
  }
}
