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

  /// `handle` is given the lines of a connection, one by one, and a way to answer.
  init(
    greeting: String = FakeServer.info,
    _ handle: @escaping @Sendable (_ line: String, _ answer: (String) -> Void) -> Void = { _, _ in }
  ) throws {
    (listener, port) = try NATSServer.listen()
    let (listener, connections) = (listener, connections)
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 { return }
        connections.append(connection)
        Thread.detachNewThread { Self.serve(connection, greeting, handle) }
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
    _ connection: Int32, _ greeting: String, _ handle: (String, (String) -> Void) -> Void
  ) {
    let answer = { (text: String) in
      let bytes = Array(text.utf8)
      _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
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
