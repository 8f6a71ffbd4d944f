import CNats
import Foundation

/// One attempt to connect, which ends in time, whatever the server does.
///
/// A process makes its attempts to one address one after the other. A socket that is connected to the
/// address during an attempt therefore belongs to that attempt.
final class Attempt: Sendable {
  private static let queues = Locked<[String: DispatchQueue]>([:])
  private static let watching = DispatchQueue(label: "signalobserver.nats.attempts")

  /// The addresses of the server's host, with its port.
  private let addresses: Set<String>
  private let known: Set<Int32>
  private let state = Locked((isDone: false, isShut: false))

  private init(_ addresses: Set<String>) {
    self.addresses = addresses
    known = Sockets.connected(to: addresses)
  }

  /// Runs `body`, which blocks, on a queue for the server's address, and passes it the attempt, which
  /// finds the socket, and the address.
  ///
  /// If a name has several addresses, it runs for one after the other, in any order, until it returns
  /// a connection.
  static func run(
    to server: ServerAddress, within limit: Duration,
    _ body: @escaping @Sendable (Attempt, _ url: String) -> Result<Connection, BusError>,
    _ done: @escaping @Sendable (Result<Connection, BusError>) -> Void
  ) {
    // It may take long to look a name up.
    DispatchQueue.global().async {
      let addresses = Sockets.addresses(of: server.host, server.port)
      // Of a host with several addresses, all attempts take the queue of the same one.
      let key = addresses.min() ?? server.url
      let queue = queues.withLock { queues in
        let queue = queues[key] ?? DispatchQueue(label: "signalobserver.nats.connect \(key)")
        queues[key] = queue
        return queue
      }
      queue.async {
        var urls = addresses.count < 2 ? [server.url] : addresses.shuffled().map { "nats://\($0)" }
        while let url = urls.popLast() {
          let attempt = Attempt(addresses)
          attempt.watch(limit)
          let result = body(attempt, url)
          attempt.state.withLock { $0.isDone = true }
          if case .failure = result, !urls.isEmpty { continue }
          return done(result)
        }
      }
    }
  }

  /// Whether the attempt was ended because it took too long.
  var isShut: Bool { state.withLock { $0.isShut } }

  /// A duplicate of the socket that was connected during the attempt, if it is the only one.
  func takeSocket() -> Int32? {
    state.withLock { $0.isDone = true }
    let new = Sockets.connected(to: addresses).subtracting(known)
    return new.count == 1 ? new.first.flatMap(Sockets.duplicate) : nil
  }

  private func watch(_ limit: Duration) {
    Self.watching.asyncAfter(deadline: .now() + .nanoseconds(Int(limit.nanoseconds))) { [self] in
      let isDone = state.withLock { state in
        if !state.isDone {
          state.isShut = true
          for socket in Sockets.connected(to: addresses).subtracting(known) { Sockets.shut(socket) }
        }
        return state.isDone
      }
      // libnats looks the name up, too, and has no socket until then.
      if !isDone { watch(.milliseconds(200)) }
    }
  }
}
