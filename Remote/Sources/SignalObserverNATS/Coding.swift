import Foundation

/// A pair of functions that turn payloads into bytes, and bytes into payloads.
///
/// ``json`` is the default wherever a method takes a coding.
public struct Coding<Payload>: Sendable {
  /// Returns the bytes of a payload.
  public let encode: @Sendable (Payload) throws -> [UInt8]
  /// Returns the payload of some bytes, which are valid until it returns.
  public let decode: @Sendable (UnsafeRawBufferPointer) throws -> Payload

  /// Creates a coding.
  ///
  /// - Parameters:
  ///   - encode: A function that returns the bytes of a payload. It runs on the emitting thread.
  ///   - decode: A function that returns the payload of some bytes, which are valid until it
  ///     returns. It runs once for each message, on a queue of the signal.
  public init(
    encode: @escaping @Sendable (Payload) throws -> [UInt8],
    decode: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Payload
  ) {
    self.encode = encode
    self.decode = decode
  }
}

extension Coding where Payload: Codable & Sendable {
  /// The JSON that Foundation writes and reads.
  ///
  /// Integers, and strings of printable ASCII without quotes and backslashes, have a faster
  /// implementation with the same result.
  @inlinable
  public static var json: Coding {
    Coding(
      encode: { payload in
        if let bytes = shortJSON(payload) { return bytes }
        return try longJSON(payload)
      },
      decode: { bytes in
        if let payload = readShortJSON(Payload.self, bytes) { return payload }
        return try readLongJSON(bytes)
      })
  }
}

extension Coding<[UInt8]> {
  /// A coding that leaves bytes as they are.
  @inlinable
  public static var bytes: Coding { Coding(encode: { $0 }, decode: { [UInt8]($0) }) }
}

// Nobody changes their settings, so any thread may use them. Making one costs as much as a small payload.
private let encoder = JSONEncoder()
private let decoder = JSONDecoder()

@usableFromInline
func longJSON(_ payload: some Encodable) throws -> [UInt8] {
  [UInt8](try encoder.encode(payload))
}

@usableFromInline
func readLongJSON<Payload: Decodable>(_ bytes: UnsafeRawBufferPointer) throws -> Payload {
  try decoder.decode(Payload.self, from: Data(bytes))
}

// Inlinable, so that the compiler knows the type.

/// The JSON of an integer or a plain string.
@inlinable
func shortJSON<Payload>(_ payload: Payload) -> [UInt8]? {
  if let number = payload as? Int {
    var digits: [UInt8] = []
    digits.reserveCapacity(20)
    var rest = number.magnitude
    repeat {
      digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    if number < 0 { digits.append(UInt8(ascii: "-")) }
    digits.reverse()
    return digits
  }
  if let text = payload as? String {
    var text = text
    return text.withUTF8 { utf8 in
      guard utf8.allSatisfy(isPlain) else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(utf8.count + 2)
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: utf8)
      bytes.append(UInt8(ascii: "\""))
      return bytes
    }
  }
  return nil
}

/// The integer or plain string in some JSON, if the payload is of such a type, and the JSON is of
/// that form.
@inlinable
func readShortJSON<Payload>(
  _ type: Payload.Type, _ bytes: UnsafeRawBufferPointer
) -> Payload? {
  if type == Int.self {
    // Eighteen digits fit. Foundation reads, or refuses, anything longer.
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = bytes.dropFirst(isNegative ? 1 : 0)
    guard (1...18).contains(digits.count) else { return nil }
    if digits.first == UInt8(ascii: "0"), digits.count > 1 { return nil }
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return (isNegative ? -number : number) as? Payload
  }
  if type == String.self {
    let quote = UInt8(ascii: "\"")
    guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return nil }
    let text = bytes.dropFirst().dropLast()
    guard text.allSatisfy(isPlain) else { return nil }
    return String(decoding: text, as: UTF8.self) as? Payload
  }
  return nil
}

@inlinable
func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    && byte != UInt8(ascii: "/")
}

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
    // Each turn adds a field of `defaults` wherever it is missing, and a field has several
    // characters.
    for _ in defaults {
      do {
        return try text.withUnsafeBytes(readLongJSON)
      } catch let error as DecodingError {
        guard case .keyNotFound(let key, let context) = error,
          let more = adding(key, at: context.codingPath, of: defaults, to: text)
        else { throw error }
        text = more
      }
    }
    return try text.withUnsafeBytes(readLongJSON)
  }
}

/// Returns some JSON with one more field, in all elements of the arrays in its path, or nil if
/// `defaults` do not have it.
private func adding(
  _ key: any CodingKey, at path: [any CodingKey], of defaults: [UInt8], to text: [UInt8]
) -> [UInt8]? {
  var source = JSONPlace(text: defaults)
  guard let name = try? longJSON(key.stringValue), path.allSatisfy({ source.enter($0) }),
    source.enter(key)
  else { return nil }
  let begin = source.position
  source.skipValue()
  let field = name + [UInt8(ascii: ":")] + defaults[begin..<source.position]
  var (more, end): ([UInt8], Int) = ([], 0)
  for place in JSONPlace(text: text).objects(at: path[...], without: key) {
    more += text[end..<place.position] + field
    if place.current != UInt8(ascii: "}") { more.append(UInt8(ascii: ",")) }
    end = place.position
  }
  return end == 0 ? nil : more + text[end...]
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

  /// The places behind the braces of the objects at a path that lack a field.
  ///
  /// An index in the path stands for all elements of its array.
  func objects(at path: ArraySlice<any CodingKey>, without key: any CodingKey) -> [JSONPlace] {
    var place = self
    guard let next = path.first else {
      if current != UInt8(ascii: "{") || place.enter(key) { return [] }
      place = self
      place.skip()
      return [place]
    }
    var found: [JSONPlace] = []
    var hasMore = place.enter(next)
    while hasMore {
      found += place.objects(at: path.dropFirst(), without: key)
      place.skipValue()
      place.skipSpace()
      hasMore = current == UInt8(ascii: "[") && place.current == UInt8(ascii: ",")
      place.skip()
    }
    return found
  }

  /// Moves into an object, to a value, or into an array, to its first one.
  ///
  /// - Returns: Whether there is one.
  mutating func enter(_ key: any CodingKey) -> Bool {
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
