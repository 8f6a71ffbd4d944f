import Foundation

/// A subject to which a message can be sent: parts with `.` between them, without wildcards.
///
/// A literal can stand for a subject:
///
/// ```swift
/// bus.send(player.scoreChanged, to: "game.7.score")
/// ```
///
/// A text that the program makes is checked, and needs `try`:
/// `try Subject("game.\(number).score")`.
public struct Subject: Sendable, Hashable {
  @usableFromInline let storage: SubjectText

  /// The text, `game.7.score`.
  public var text: String { storage.text }

  /// Creates a subject from a text.
  ///
  /// - Throws: ``BusError/invalid(text:reason:)`` if a part is empty, if the text contains a space,
  ///   a control character, `*` or `>`, or if it is longer than 1,024 bytes.
  public init(_ text: String) throws(BusError) {
    try checkSubject(text, allowsWildcards: false)
    self.init(checked: text)
  }

  init(checked text: String) {
    storage = SubjectText(text)
  }

  /// Whether two subjects have the same text.
  public static func == (one: Subject, other: Subject) -> Bool { one.text == other.text }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A pattern for the subjects to receive, in which `*` may stand for a part, and `>` at the end for
/// any number of parts.
public struct SubjectPattern: Sendable, Hashable {
  /// The text, `game.*.score`.
  public let text: String

  /// Creates a pattern from a text.
  ///
  /// - Throws: ``BusError/invalid(text:reason:)`` in the same cases as ``Subject/init(_:)``, except
  ///   for wildcards, or if a wildcard is not a part by itself.
  public init(_ text: String) throws(BusError) {
    try checkSubject(text, allowsWildcards: true)
    self.text = text
  }

  /// Creates a pattern that stands for one subject.
  public init(_ subject: Subject) {
    text = subject.text
  }
}

/// The name of a stream, a consumer or a bucket: letters, digits, `-` and `_`, 128 of them at most.
public struct Name: Sendable, Hashable {
  /// The text.
  public let text: String

  /// Creates a name from a text.
  ///
  /// - Throws: ``BusError/invalid(text:reason:)`` if the text is empty or too long, or contains
  ///   another character.
  public init(_ text: String) throws(BusError) {
    let isPlain = text.utf8.allSatisfy { byte in
      isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    guard isPlain, (1...128).contains(text.utf8.count) else {
      throw .invalid(text: short(text), reason: "a name has 1 to 128 letters, digits, - and _")
    }
    self.text = text
  }
}

// A wrong literal is a mistake in the program, which stops when it first uses that literal.

extension Subject: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates it from a literal, and stops the program if the literal is invalid.
  public init(stringLiteral text: StaticString) {
    do { self = try Subject(text.description) } catch { preconditionFailure("\(error)") }
  }

  /// The text.
  public var description: String { text }
}

extension SubjectPattern: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates it from a literal, and stops the program if the literal is invalid.
  public init(stringLiteral text: StaticString) {
    do { self = try SubjectPattern(text.description) } catch { preconditionFailure("\(error)") }
  }

  /// The text.
  public var description: String { text }
}

extension Name: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates it from a literal, and stops the program if the literal is invalid.
  public init(stringLiteral text: StaticString) {
    do { self = try Name(text.description) } catch { preconditionFailure("\(error)") }
  }

  /// The text.
  public var description: String { text }
}

extension Name {
  /// Returns a text as one part of a subject.
  ///
  /// Different texts have different results.
  static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      isAlphanumeric(byte) || byte == UInt8(ascii: "-")
        ? String(UnicodeScalar(byte)) : "=" + String(byte, radix: 16)
    }.joined()
  }

  /// Returns the ASCII text of which one part of a subject was made.
  static func unescaped(_ part: some StringProtocol) -> String {
    let pieces = part.split(separator: "=", omittingEmptySubsequences: false)
    return pieces.dropFirst().reduce(into: String(pieces.first ?? "")) { text, piece in
      let byte = UInt8(piece.prefix(2), radix: 16) ?? UInt8(ascii: "?")
      text += String(UnicodeScalar(byte)) + piece.dropFirst(2)
    }
  }
}

private func isAlphanumeric(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: false
  }
}

private func checkSubject(_ text: String, allowsWildcards: Bool) throws(BusError) {
  let reason: String? =
    if text.isEmpty {
      "it is empty"
    } else if text.utf8.count > 1024 {
      "it has more than 1,024 bytes"
    } else if text.unicodeScalars.contains(where: {
      $0.properties.isWhitespace || $0.properties.generalCategory == .control
    }) {
      "it has a space or a control character"
    } else {
      wrongPart(text.split(separator: ".", omittingEmptySubsequences: false), allowsWildcards)
    }
  if let reason { throw .invalid(text: short(text), reason: reason) }
}

private func wrongPart(_ parts: [Substring], _ allowsWildcards: Bool) -> String? {
  for (index, part) in parts.enumerated() {
    if part.isEmpty { return "a part of it is empty" }
    guard part.utf8.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ">") }) else {
      continue
    }
    if !allowsWildcards { return "* and > are for listening" }
    if part != "*", part != ">" { return "a wildcard is a part by itself" }
    if part == ">", index != parts.count - 1 { return "> stands at the end" }
  }
  return nil
}

/// Whether a pattern stands for another text, a subject or a pattern, and all that it stands for.
package func covers(_ pattern: String, _ other: String) -> Bool {
  let (mine, theirs) = (pattern.split(separator: "."), other.split(separator: "."))
  for (one, two) in zip(mine, theirs) {
    if one == ">" { return true }
    if two == ">" || one != "*" && one != two { return false }
  }
  return mine.count == theirs.count
}

func short(_ text: String) -> String {
  text.utf8.count <= 256 ? text : String(text.prefix(64)) + "…"
}

/// A subject as libnats wants it.
///
/// `@unchecked Sendable`: the characters do not change.
@usableFromInline
final class SubjectText: @unchecked Sendable {
  let text: String
  let characters: UnsafeMutablePointer<CChar>

  init(_ text: String) {
    self.text = text
    // `strdup` fails only if there is no memory left at all.
    characters = strdup(text)
  }

  deinit { free(characters) }
}
