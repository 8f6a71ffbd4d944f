import CNats
import Foundation

/// One attempt to connect, which ends in time, whatever the server does.
///
/// A process makes its attempts to one port one after the other. A socket that is connected to the
/// port during an attempt therefore belongs to that attempt.
final class Attempt: Sendable {
  private static let queues = Locked<[Int: DispatchQueue]>([:])
  private static let watching = DispatchQueue(label: "signalobserver.nats.attempts")

  private let port: Int
  private let known: Set<Int32>
  private let state = Locked((isDone: false, isShut: false))

  private init(_ port: Int) {
    self.port = port
    known = Sockets.connected(to: port)
  }

  /// Runs `body`, which blocks, on a queue for the port, and passes it the attempt, which finds the
  /// socket.
  static func run(
    to port: Int, within limit: Duration, _ body: @escaping @Sendable (Attempt) -> Void
  ) {
    let queue = queues.withLock { queues in
      let queue =
        queues[port] ?? DispatchQueue(label: "signalobserver.nats.connect \(port)")
      queues[port] = queue
      return queue
    }
    queue.async {
      let attempt = Attempt(port)
      attempt.watch(limit)
      body(attempt)
      attempt.state.withLock { $0.isDone = true }
    }
  }

  /// Whether the attempt was ended because it took too long.
  var isShut: Bool { state.withLock { $0.isShut } }

  /// A duplicate of the socket that was connected during the attempt, if it is the only one.
  func takeSocket() -> Int32? {
    state.withLock { $0.isDone = true }
    let new = Sockets.connected(to: port).subtracting(known)
    return new.count == 1 ? new.first.flatMap(Sockets.duplicate) : nil
  }

  private func watch(_ limit: Duration) {
    Self.watching.asyncAfter(deadline: .now() + .nanoseconds(Int(limit.nanoseconds))) { [self] in
      let isDone = state.withLock { state in
        if !state.isDone {
          state.isShut = true
          for socket in Sockets.connected(to: port).subtracting(known) { Sockets.shut(socket) }
        }
        return state.isDone
      }
      // A host name that is being looked up has no socket yet.
      if !isDone { watch(.milliseconds(200)) }
    }
  }
}
