/// That a scan has begun or ended, in words.
struct Activity: Sendable, Encodable {
  /// Counts all of them, from 1.
  let number: Int
  let folder: Int
  let text: String
}
