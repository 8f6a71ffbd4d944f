import Foundation

/// What a message carries: the headers as they are on the wire, if there are any, and the body.
struct Content {
  let bytes: [UInt8]
  let headerSize: Int

  init(_ bytes: [UInt8], headerSize: Int = 0) {
    self.bytes = bytes
    self.headerSize = headerSize
  }

  init(_ text: String) {
    self.init(Array(text.utf8))
  }

  /// Content without a body that says how a request has ended.
  init(status: String, headers: [(String, Int)] = []) {
    let lines = headers.map { "\($0): \($1)\r\n" }.joined()
    let bytes = Array("NATS/1.0 \(status)\r\n\(lines)\r\n".utf8)
    self.init(bytes, headerSize: bytes.count)
  }

  var headers: ArraySlice<UInt8> { bytes[..<headerSize] }
  var body: ArraySlice<UInt8> { bytes[headerSize...] }
  var text: String { String(decoding: body, as: UTF8.self) }

  func header(_ name: String) -> String? {
    if headerSize == 0 { return nil }
    return bytes.withUnsafeBytes { bytes in
      let headers = UnsafeRawBufferPointer(rebasing: bytes[..<headerSize])
      var line = headers.find(newline, from: 0)
      while let start = line, let end = headers.find(newline, from: start + 1) {
        let text = String(decoding: headers[(start + 1)..<max(start + 1, end - 1)], as: UTF8.self)
        if text.hasPrefix("\(name): ") { return String(text.dropFirst(name.count + 2)) }
        line = end
      }
      return nil
    }
  }
}

let newline = UInt8(ascii: "\n")
let space = UInt8(ascii: " ")

extension UnsafeRawBufferPointer {
  /// The index of the first byte of that value at or behind `start`.
  func find(_ byte: UInt8, from start: Int) -> Int? {
    guard start < count, let baseAddress,
      let found = memchr(baseAddress + start, Int32(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(found) - baseAddress
  }

  /// The words between spaces.
  func words(_ range: Range<Int>) -> [String] {
    let line = UnsafeRawBufferPointer(rebasing: self[..<range.upperBound])
    var words: [String] = []
    var start = range.lowerBound
    while start < line.count {
      let end = line.find(space, from: start) ?? line.count
      if end > start { words.append(String(decoding: line[start..<end], as: UTF8.self)) }
      start = end + 1
    }
    return words
  }
}

/// A subject in which `*` stands for one part, and `>` at the end for any number of parts.
struct Pattern {
  let text: String
  private let parts: [String.SubSequence]
  /// The text before the first wildcard; nil if there is none.
  private let beginning: String?

  init(_ text: String) {
    self.text = text
    parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let literal = parts.prefix { $0 != "*" && $0 != ">" }
    beginning =
      literal.count == parts.count ? nil : literal.map { "\($0)." }.joined()
  }

  var hasWildcards: Bool { beginning != nil }

  /// Whether no part is empty, and `>` is at most the last one.
  var isValid: Bool { !parts.contains("") && !parts.dropLast().contains(">") }

  func matches(_ subject: String) -> Bool {
    guard let beginning else { return subject == text }
    guard subject.hasPrefix(beginning) else { return false }
    if parts.last == ">", beginning.utf8.count + 1 == text.utf8.count {
      return subject.utf8.count > beginning.utf8.count
    }
    let others = subject.split(separator: ".", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part == ">" { return others.count > index }
      guard index < others.count, part == "*" || part == others[index] else { return false }
    }
    return others.count == parts.count
  }

  /// Whether some subject matches both.
  func overlaps(_ other: Pattern) -> Bool {
    for (one, two) in zip(parts, other.parts) {
      if one == ">" || two == ">" { return true }
      if one != "*", two != "*", one != two { return false }
    }
    return parts.count == other.parts.count
  }
}
