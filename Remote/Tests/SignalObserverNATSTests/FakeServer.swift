import Foundation
import NATSServer

/// A server that does what a test wants of it: each connection is handled on a thread of its own.
final class FakeServer: Sendable {
  /// What a server says first.
  static let info =
    #"INFO {"server_id":"fake","version":"2.9.10","max_payload":1048576,"headers":true}"# + "\r\n"

  let port: Int
  private let listener: Int32
  private let connections = Trace<Int32>()

  /// Starts a server.
  ///
  /// `handle` is given the lines of a connection, one by one, and a way to answer. With a `pause`,
  /// the server says everything a byte at a time.
  init(
    greeting: String = FakeServer.info, pause: Duration = .zero,
    port: Int = 0, of host: UInt32 = NATSServer.loopback,
    _ handle: @escaping @Sendable (_ line: String, _ answer: (String) -> Void) -> Void = { _, _ in }
  ) throws {
    (listener, self.port) = try NATSServer.listen(on: port, of: host)
    let (listener, connections) = (listener, connections)
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 { return }
        connections.append(connection)
        Thread.detachNewThread { Self.serve(connection, greeting, pause, handle) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    for connection in connections.all { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  var url: String { "nats://127.0.0.1:\(port)" }
  /// How often somebody has connected.
  var accepted: Int { connections.count }

  private static func serve(
    _ connection: Int32, _ greeting: String, _ pause: Duration,
    _ handle: (String, (String) -> Void) -> Void
  ) {
    let answer = { (text: String) in
      let bytes = Array(text.utf8)
      let step = pause == .zero ? max(1, bytes.count) : 1
      for start in stride(from: 0, to: bytes.count, by: step) {
        let part = Array(bytes[start..<start + step])
        if send(connection, part, step, Int32(MSG_NOSIGNAL)) < 0 { return }
        Thread.sleep(forTimeInterval: pause / .seconds(1))
      }
    }
    answer(greeting)
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return }
      text += String(decoding: buffer[..<count], as: UTF8.self)
      while let end = text.range(of: "\r\n") {
        let line = String(text[..<end.lowerBound])
        text = String(text[end.upperBound...])
        handle(line, answer)
      }
    }
  }
}
