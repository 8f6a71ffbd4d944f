import CNats
import Foundation

/// What accompanies a payload: names, each with one or more values.
///
/// Names are compared without regard to case. The values of one name keep their order.
///
/// ```swift
/// bus.send(
///   shop.ordered, to: "orders.new",
///   headers: { order in try MessageHeaders(["Tenant": order.tenant]) })
/// ```
///
/// `headers` of a message has what its sender has set. Names that begin with `Nats-` are the
/// servers' own, and are neither sent nor received here. A message with more than 1,000 values is
/// delivered without headers, and ``Bus/errors`` reports that.
public struct MessageHeaders: Sendable {
  /// The names and values, in the order of the names.
  @usableFromInline var fields: [(name: String, value: String)]

  /// Creates headers without a name.
  @inlinable
  public init() { fields = [] }

  /// Creates headers from names and values.
  ///
  /// - Parameter fields: The names, each with a value. A name may occur several times.
  /// - Throws: ``BusError/invalid(text:reason:)``: see ``add(_:for:)``.
  public init(_ fields: KeyValuePairs<String, String>) throws(BusError) {
    self.init()
    for (name, value) in fields { try add(value, for: name) }
  }

  /// Whether there is no name.
  @inlinable public var isEmpty: Bool { fields.isEmpty }

  /// The names, each once.
  public var names: [String] {
    fields.indices.filter { $0 == 0 || !isSame(fields[$0 - 1].name, fields[$0].name) }
      .map { fields[$0].name }
  }

  /// The first value of a name, or nil if it has none.
  public subscript(name: String) -> String? {
    fields.first { isSame($0.name, name) }?.value
  }

  /// All values of a name.
  public func values(for name: String) -> [String] {
    fields.lazy.filter { isSame($0.name, name) }.map(\.value)
  }

  /// Adds a value behind the other values of a name.
  ///
  /// - Parameters:
  ///   - value: The value. Spaces at its ends are not part of it.
  ///   - name: The name.
  /// - Throws: ``BusError/invalid(text:reason:)`` if the name is empty, has another character than
  ///   the visible ones of ASCII, or a colon, or begins with `Nats-`; or if the value is empty, or
  ///   has a control character, such as that of a new line.
  public mutating func add(_ value: String, for name: String) throws(BusError) {
    try check(name, value)
    insert(value, for: name)
  }

  /// Gives a name one value in place of all others.
  ///
  /// - Parameters:
  ///   - value: The value. Spaces at its ends are not part of it.
  ///   - name: The name.
  /// - Throws: ``BusError/invalid(text:reason:)``: see ``add(_:for:)``.
  public mutating func set(_ value: String, for name: String) throws(BusError) {
    try check(name, value)
    replace(value, for: name)
  }

  /// Sets a header of this library's own, which is known to be valid.
  mutating func replace(_ value: String, for name: String) {
    fields.removeAll { isSame($0.name, name) }
    insert(value, for: name)
  }

  /// Inserts a field in the order of the names, so that headers are equal however they were made.
  ///
  /// All values of a name have its first spelling, because libnats keeps the order of values for
  /// each spelling.
  private mutating func insert(_ value: String, for name: String) {
    let key = name.utf8.map(lowercase)
    var (low, end) = (0, fields.count)
    while low < end {
      let middle = (low + end) / 2
      let isBefore = key.lexicographicallyPrecedes(fields[middle].name.utf8.lazy.map(lowercase))
      if isBefore { end = middle } else { low = middle + 1 }
    }
    let spelling = end > 0 && isSame(fields[end - 1].name, name) ? fields[end - 1].name : name
    fields.insert((spelling, trimmed(value)), at: end)
  }
}

extension MessageHeaders: Equatable {
  /// Whether two headers have the same names, without regard to case, with the same values.
  public static func == (one: MessageHeaders, other: MessageHeaders) -> Bool {
    one.fields.elementsEqual(other.fields) { isSame($0.name, $1.name) && $0.value == $1.value }
  }
}

extension MessageHeaders: CustomStringConvertible {
  /// A line for each value.
  public var description: String {
    fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }
}

extension Link {
  /// The headers of a message, or none, and an error, if they cannot be read.
  func headers(of message: RawMessage) -> MessageHeaders {
    do { return try MessageHeaders(of: message) } catch {
      report(error)
      return MessageHeaders()
    }
  }
}

extension MessageHeaders {
  /// The number of bytes that the headers add to a message: a line `NATS/1.0`, a line for each
  /// value, and an empty line.
  var size: Int {
    fields.isEmpty ? 0 : fields.reduce(12) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }

  /// The names and values, as the parts of the bus send them that are not in a hurry.
  var pairs: [(String, String)] { fields.map { ($0.name, $0.value) } }

  /// Each name and each value, with a null character behind it, as libnats takes them.
  var characters: [UInt8] {
    var characters: [UInt8] = []
    for (name, value) in fields {
      characters += name.utf8
      characters.append(0)
      characters += value.utf8
      characters.append(0)
    }
    return characters
  }

  /// The headers of a message, apart from those of the servers.
  ///
  /// - Throws: ``BusError/invalid(text:reason:)`` if libnats cannot read them, or would need long:
  ///   its time for the values of a name grows with the square of their number.
  init(of message: RawMessage) throws(BusError) {
    self.init()
    // In front of the headers is a line `NATS/1.0`, and behind them an empty one.
    let bytes = message.headerBytes
    if bytes.count > 4000, bytes.starts(with: "NATS/1.0".utf8),
      bytes.lazy.filter({ $0 == UInt8(ascii: "\n") }).count > 1002
    {
      throw .invalid(text: message.subject, reason: "a message has more than 1,000 headers")
    }
    var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    var count: Int32 = 0
    let status = natsMsgHeader_Keys(message.pointer, &names, &count)
    if status == NATS_NOT_FOUND { return }
    guard status == NATS_OK, let names else {
      throw .invalid(text: message.subject, reason: "libnats cannot read the headers of a message")
    }
    // The message owns the texts, and the caller the list.
    defer { free(names) }
    for case let name? in UnsafeBufferPointer(start: names, count: Int(count)) {
      let text = String(cString: name)
      if isReserved(text) { continue }
      var values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
      var valueCount: Int32 = 0
      guard natsMsgHeader_Values(message.pointer, name, &values, &valueCount) == NATS_OK, let values
      else { continue }
      defer { free(values) }
      for case let value? in UnsafeBufferPointer(start: values, count: Int(valueCount)) {
        insert(String(cString: value), for: text)
      }
    }
  }
}

/// Adds what ``MessageHeaders/characters`` has to a message of libnats.
func addHeaders(
  _ characters: UnsafeRawBufferPointer, to message: OpaquePointer
) -> natsStatus {
  var rest = characters
  func next() -> UnsafePointer<CChar>? {
    let text = rest.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard let end = rest.firstIndex(of: 0) else { return nil }
    rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
    return text
  }
  while let name = next(), let value = next() {
    let status = natsMsgHeader_Add(message, name, value)
    if status != NATS_OK { return status }
  }
  return NATS_OK
}

private func isSame(_ one: String, _ other: String) -> Bool {
  one.utf8.count == other.utf8.count
    && zip(one.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) }
}

private func lowercase(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

private func isReserved(_ name: String) -> Bool {
  isSame(String(name.prefix(5)), "Nats-")
}

private func trimmed(_ value: String) -> String {
  let isBlank = { (character: Character?) in character == " " || character == "\t" }
  var text = value[...]
  while isBlank(text.first) { text.removeFirst() }
  while isBlank(text.last) { text.removeLast() }
  return String(text)
}

private func check(_ name: String, _ value: String) throws(BusError) {
  let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
  guard isPlain, !name.isEmpty else {
    throw .invalid(
      text: short(name),
      reason: "the name of a header has visible characters of ASCII, and no colon")
  }
  if isReserved(name) {
    throw .invalid(text: short(name), reason: "headers that begin with Nats- are the servers' own")
  }
  try checkHeaderValue(value)
}

/// Throws if libnats cannot send a value, or cannot read it again.
func checkHeaderValue(_ value: String) throws(BusError) {
  let isControl = { (byte: UInt8) in byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F }
  // libnats cannot read a message with an empty value.
  if trimmed(value).isEmpty || value.utf8.contains(where: isControl) {
    throw .invalid(
      text: short(value), reason: "the value of a header is one line of text, and not empty")
  }
}
