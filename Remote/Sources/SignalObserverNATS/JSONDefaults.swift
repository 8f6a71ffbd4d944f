import Foundation

extension Coding where Payload: Codable & Sendable {
  /// JSON in which fields may be missing, because the program that has sent it knows an older type.
  ///
  /// ```swift
  /// // Older programs send tickets without a currency.
  /// let tickets = Coding.json(defaults: Ticket(price: 0, currency: "EUR"))
  /// let sold = bus.signal("tickets.sold", of: Ticket.self, as: tickets)
  /// ```
  ///
  /// A missing field has the value that it has in `defaults`, in nested objects, too. The first
  /// element of an array stands for all of its elements. A missing optional is nil, and a field that
  /// the type does not know is ignored, as with ``json``.
  ///
  /// - Parameter defaults: A payload with a value for each field that may be missing. If JSON cannot
  ///   express it, the program stops.
  /// - Returns: The coding.
  public static func json(defaults: Payload) -> Coding {
    let known: [UInt8]
    do { known = try longJSON(defaults) } catch { preconditionFailure("\(error)") }
    return Coding(
      encode: json.encode,
      decode: { bytes in
        do { return try json.decode(bytes) } catch DecodingError.keyNotFound {
          return try decode([UInt8](bytes), known)
        }
      })
  }

  /// Decodes some JSON, with the fields of `defaults` that it does not have.
  private static func decode(_ text: [UInt8], _ defaults: [UInt8]) throws -> Payload {
    var text = text
    // Each turn adds a field that the type has.
    while true {
      do {
        return try text.withUnsafeBytes(readLongJSON)
      } catch let error as DecodingError {
        guard case .keyNotFound(let key, let context) = error,
          let more = adding(key, at: context.codingPath, of: defaults, to: text)
        else { throw error }
        text = more
      }
    }
  }
}

/// Returns some JSON with one more field, or nil if `defaults` do not have it.
private func adding(
  _ key: any CodingKey, at path: [any CodingKey], of defaults: [UInt8], to text: [UInt8]
) -> [UInt8]? {
  var source = JSONPlace(text: defaults)
  var target = JSONPlace(text: text)
  guard let name = try? longJSON(key.stringValue),
    path.allSatisfy({ source.enter($0, isPattern: true) && target.enter($0) }),
    source.enter(key), target.current == UInt8(ascii: "{")
  else { return nil }
  var same = target
  if same.enter(key) { return nil }
  let begin = source.position
  source.skipValue()
  target.skip()
  let comma = target.current == UInt8(ascii: "}") ? [] : [UInt8(ascii: ",")]
  return text[..<target.position] + name + [UInt8(ascii: ":")]
    + defaults[begin..<source.position] + comma + text[target.position...]
}

/// A place in some JSON that has been read before, and is therefore valid.
///
/// If it is not, nothing is found in it.
private struct JSONPlace {
  let text: [UInt8]
  var position = 0

  init(text: [UInt8]) {
    self.text = text
    skipSpace()
  }

  /// The character at this place; 0 at the end.
  var current: UInt8 { position < text.count ? text[position] : 0 }

  /// Moves into an object or an array, to a value.
  ///
  /// In a pattern, the first element of an array stands for all.
  ///
  /// - Returns: Whether there is one.
  mutating func enter(_ key: any CodingKey, isPattern: Bool = false) -> Bool {
    switch current {
    case UInt8(ascii: "{"):
      while true {
        skip()
        guard current == UInt8(ascii: "\"") else { return false }
        let begin = position
        skipValue()
        let name = text[begin..<position]
        skipSpace()
        // Behind the colon.
        skip()
        if (try? decodeName(name)) == key.stringValue { return true }
        skipValue()
        skipSpace()
        if current != UInt8(ascii: ",") { return false }
      }
    case UInt8(ascii: "["):
      skip()
      for _ in 0..<(isPattern ? 0 : key.intValue ?? 0) {
        skipValue()
        skipSpace()
        if current != UInt8(ascii: ",") { return false }
        skip()
      }
      return current != UInt8(ascii: "]") && current != 0
    default: return false
    }
  }

  private func decodeName(_ name: ArraySlice<UInt8>) throws -> String {
    try Array(name).withUnsafeBytes(Coding<String>.json.decode)
  }

  /// Moves behind one character, and the spaces behind it.
  mutating func skip() {
    position += 1
    skipSpace()
  }

  private mutating func skipSpace() {
    while current == 0x20 || (0x09...0x0D).contains(current) { position += 1 }
  }

  /// Moves behind a value.
  mutating func skipValue() {
    var depth = 0
    repeat {
      switch current {
      case UInt8(ascii: "\""):
        position += 1
        while position < text.count, current != UInt8(ascii: "\"") {
          position += current == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09...0x0D: position += 1
      default:
        // A number or a word.
        while position < text.count, !isEnd(current) { position += 1 }
      }
    } while depth > 0 && position < text.count
    position = min(position, text.count)
  }

  private func isEnd(_ character: UInt8) -> Bool {
    character == UInt8(ascii: ",") || character == UInt8(ascii: "}")
      || character == UInt8(ascii: "]") || character <= 0x20
  }
}
