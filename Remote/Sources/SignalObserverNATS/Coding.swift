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
