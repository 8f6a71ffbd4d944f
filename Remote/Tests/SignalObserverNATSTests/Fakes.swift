import Foundation
import NATSServer
import Synchronization

/// A server that does what a test wants of it: each connection is handled on a thread of its own.
final class FakeServer: Sendable {
  /// What a server says first.
  static let info =
    #"INFO {"server_id":"fake","version":"2.9.10","max_payload":1048576,"headers":true}"# + "\r\n"
  /// The same, of a server that asks for TLS.
  static let secureInfo = info.replacing("}", with: #","tls_required":true}"#)

  let port: Int
  private let listener: Int32
  private let connections = Trace<Int32>()

  /// Starts a server.
  ///
  /// `greeting` is evaluated for each connection. `handle` is given the lines of a connection, one by
  /// one, and a way to answer. With a `pause`, the server says everything a byte at a time.
  init(
    greeting: @escaping @Sendable @autoclosure () -> String = FakeServer.info,
    pause: Duration = .zero,
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
        Thread.detachNewThread { Self.serve(connection, greeting(), pause, handle) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    cut()
  }

  /// Ends all connections.
  func cut() { for connection in connections.all { shutdown(connection, Int32(SHUT_RDWR)) } }

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

/// A way to a server on which answers can be lost, be changed, or take their time.
final class Proxy: Sendable {
  private struct State {
    var swallowsAnswers = false
    var beginsToSwallow: (@Sendable (_ said: String) -> Bool)?
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
          Self.forward(client, upstream) { said in
            state.state.withLock { state in
              state.sentCount += said.count
              if state.beginsToSwallow?(String(decoding: said, as: UTF8.self)) == true {
                (state.swallowsAnswers, state.beginsToSwallow) = (true, nil)
              }
            }
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

  /// A function that gets all that clients say, until it returns true: from then on, and before the
  /// server has heard that, nothing that the server says arrives.
  var beginsToSwallow: (@Sendable (_ said: String) -> Bool)? {
    get { state.state.withLock { $0.beginsToSwallow } }
    set { state.state.withLock { $0.beginsToSwallow = newValue } }
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
    _ from: Int32, _ to: Int32, _ faults: (ArraySlice<UInt8>) -> (Bool, Duration, [String: String])
  ) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(from, &buffer, buffer.count, 0)
      if count <= 0 { break }
      let (isSwallowed, delay, replacements) = faults(buffer[..<count])
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

/// A client that says to a server what a test wants, and no library would.
final class RawClient: @unchecked Sendable {
  // Used by one task at a time.
  private let handle: FileHandle
  private var text = ""

  init(port: Int, user: String? = nil) throws {
    handle = FileHandle(fileDescriptor: try NATSServer.connect(to: port), closeOnDealloc: true)
    let login = user.map { #","user":"\#($0)","pass":"secret""# } ?? ""
    try say(
      #"CONNECT {"verbose":false,"headers":true,"no_responders":true\#(login)}"# + "\r\nPING\r\n")
    _ = read(until: "PONG\r\n")
  }

  func say(_ text: String) throws { try handle.write(contentsOf: Data(text.utf8)) }

  /// Publishes, with headers if there are some, and waits until the server has it.
  func publish(_ subject: String, _ body: String, headers: [String] = []) throws {
    try say(message(subject, "", body, headers) + "PING\r\n")
    _ = read(until: "PONG\r\n")
  }

  /// Sends a request, and returns everything up to the end of its answer.
  func request(_ subject: String, _ body: String, headers: [String] = []) throws -> String {
    let inbox = "raw.\(UUID().uuidString)"
    try say("SUB \(inbox) 1\r\n" + message(subject, inbox + " ", body, headers))
    _ = read(until: "MSG \(inbox)")
    let head = read(until: "\r\n")
    let body = read(until: "\r\n")
    try say("UNSUB 1\r\n")
    return head + body
  }

  private func message(
    _ subject: String, _ reply: String, _ body: String, _ headers: [String]
  ) -> String {
    if headers.isEmpty { return "PUB \(subject) \(reply)\(body.utf8.count)\r\n\(body)\r\n" }
    let head = "NATS/1.0\r\n" + headers.map { "\($0)\r\n" }.joined() + "\r\n"
    return "HPUB \(subject) \(reply)\(head.utf8.count) \(head.utf8.count + body.utf8.count)\r\n"
      + "\(head)\(body)\r\n"
  }

  /// Everything up to the end of the connection.
  var rest: String { read(until: "no such text") }

  func read(until end: String) -> String {
    while true {
      if let range = text.range(of: end) {
        defer { text = String(text[range.upperBound...]) }
        return String(text[..<range.upperBound])
      }
      let data = handle.availableData
      if data.isEmpty { return text }
      text += String(decoding: data, as: UTF8.self)
    }
  }
}
