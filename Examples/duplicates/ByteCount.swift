/// A number of bytes in a form for people.
struct ByteCount: CustomStringConvertible {
  private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]

  let bytes: Int

  init(_ bytes: Int) {
    self.bytes = bytes
  }

  /// The exact number, with the rounded one in front where that is shorter: `1.2 MB (1234567 bytes)`.
  var description: String {
    let exact = bytes == 1 ? "1 byte" : "\(bytes) bytes"
    return bytes < 1000 ? exact : "\(rounded) (\(exact))"
  }

  private var rounded: String {
    // In tenths of a unit, so that no formatter is needed.
    var tenths = (bytes + 50) / 100
    var unit = 0
    while tenths >= 10_000 {
      tenths = (tenths + 500) / 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(Self.units[unit])"
  }
}
