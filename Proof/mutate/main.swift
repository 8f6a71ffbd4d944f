import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

// Writes a copy of sources and tests in which each mutant is chosen when a program runs.
//
//   generate REQUEST    a file of JSON, as below; prints what was made, as JSON

struct Request: Decodable {
  /// The folder of the package, and that of the copy.
  let root: String
  let copy: String
  /// All sources, whose declarations are read, and those that get mutants.
  let sources: [String]
  let mutated: [String]
  let tests: [String]
  /// The keys of mutants that are left out.
  let dropped: Set<String>
  /// The conditions of `#if` that hold; all others do not.
  let conditions: Set<String>
}

/// One mistake in the sources, made by the program.
struct Mutant: Encodable {
  let number: Int
  let file: String
  let line: Int
  /// The kind of mistake, in words.
  let kind: String
  /// The original text, and the one that replaces it, each on one line.
  let before: String
  let after: String
  /// The text of the line, without the space around it.
  let text: String
  /// All of this but numbers, by which a verdict is found again.
  let key: String
}

struct Reply: Encodable {
  var mutants: [Mutant] = []
  /// Of each test, the outermost type that it is in, which may be empty.
  var tests: [String] = []
}

/// A piece of source that has variants, each with the number of its mutant.
struct Site {
  enum Form {
    /// A statement, or an expression that is one.
    case statement
    /// An expression inside of a statement.
    case value
    /// Nothing, where a text is added.
    case addition
  }

  let form: Form
  let range: Range<Int>
  var variants: [(number: Int, text: String)] = []

  func rendered(_ original: String) -> String {
    switch form {
    case .statement:
      variants.map { "if mutant(\($0.number)) {\n\($0.text)\n} else " }.joined()
        + "{\n\(original)\n}"
    case .value:
      "(" + variants.map { "mutant(\($0.number))\n? (\($0.text)\n) : " }.joined()
        + "(\(original)))"
    case .addition: variants.map(\.text).joined()
    }
  }
}

/// Returns a range of the source with the sites in it, of which outer ones are first.
func render(_ source: [UInt8], _ range: Range<Int>, _ sites: ArraySlice<Site>) -> String {
  var (at, sites, output) = (range.lowerBound, sites, "")
  while let site = sites.popFirst() {
    let inner = sites.prefix { $0.range.lowerBound < site.range.upperBound }
    sites.removeFirst(inner.count)
    output += String(decoding: source[at..<site.range.lowerBound], as: UTF8.self)
    output += site.rendered(render(source, site.range, inner))
    at = site.range.upperBound
  }
  return output + String(decoding: source[at..<range.upperBound], as: UTF8.self)
}

let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
let request = try JSONDecoder().decode(Request.self, from: data)
// This program has one thread.
nonisolated(unsafe) let words = Vocabulary()
nonisolated(unsafe) var reply = Reply()

func parse(_ file: String) throws -> (source: [UInt8], tree: SourceFileSyntax) {
  let source = try [UInt8](Data(contentsOf: URL(filePath: "\(request.root)/\(file)")))
  let tree = Parser.parse(source: String(decoding: source, as: UTF8.self))
  let folded = OperatorTable.standardOperators.foldAll(tree) { _ in }
  return (source, folded.as(SourceFileSyntax.self) ?? tree)
}

/// Writes a file with its sites, unless it has that text already: only what differs is built again.
func write(_ file: String, _ source: [UInt8], _ sites: [Site]) throws {
  let sorted = sites.filter { !$0.variants.isEmpty }.sorted {
    ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
  }
  let text = Data(render(source, 0..<source.count, sorted[...]).utf8)
  let url = URL(filePath: "\(request.copy)/\(file)")
  if let old = try? Data(contentsOf: url), old == text { return }
  try FileManager.default.createDirectory(
    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  try text.write(to: url)
}

let parsed = try request.sources.map { (file: $0, content: try parse($0)) }
for (_, content) in parsed { words.walk(content.tree) }
for (file, (source, tree)) in parsed {
  let isMutated = request.mutated.contains(file)
  try write(file, source, isMutated ? Finder(file, source, tree).sites : [])
}
for file in request.tests {
  let (source, tree) = try parse(file)
  try write(file, source, TestFinder(tree).sites)
}
FileHandle.standardOutput.write(try JSONEncoder().encode(reply))
