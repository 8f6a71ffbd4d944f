extension Path: CustomStringConvertible {
  /// The path as text that fits a line.
  ///
  /// A path that is not valid UTF-8, or contains characters that control the terminal or the direction
  /// of text, is written as `$'caf\xe9'`, which a shell reads back.
  public var description: String {
    if bytes.isEmpty { return "''" }
    guard let text else { return quoted }
    return text.unicodeScalars.contains(where: Self.isControl) ? quoted : text
  }

  /// The path as text, or nil if it is not valid UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The path as text, or its description if it is not valid UTF-8.
  ///
  /// A program that shows it decides for itself how it shows control characters.
  public var plainText: String { text ?? description }

  private var quoted: String {
    var result = "$'"
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    var position = bytes.startIndex
    while true {
      switch decoder.decode(&rest) {
      case .emptyInput: return result + "'"
      case .error:
        // One error of the decoder may cover several bytes: show the first, and go on after it.
        result += Self.escaped(bytes[position])
        position += 1
        decoder = UTF8()
        rest = bytes[position...].makeIterator()
      case .scalarValue(let scalar):
        result += Self.escaped(scalar)
        position += UTF8.width(scalar)
      }
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
    if isControl(scalar) { return String(scalar).utf8.map(escaped).joined() }
    return String(scalar)
  }

  private static func escaped(_ byte: UInt8) -> String {
    "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
  }
}
