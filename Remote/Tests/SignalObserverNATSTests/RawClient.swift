import Foundation
import NATSServer

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
