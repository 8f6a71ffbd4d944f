/// A payload that is not `Sendable`.
final class Note {
  let text: String

  init(_ text: String) { self.text = text }
}
