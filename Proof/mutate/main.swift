import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

// Writes a copy of sources and tests in which each mutant is chosen when a program runs.
//
//   mutate REQUEST    a file of JSON, as below; prints what was made, as JSON

struct Request: Decodable {
  /// The folder of the package, and that of the copy.
  let root: String
  let copy: String
  /// All sources, whose declarations are read, and those that get mutants.
  let sources: [String]
  let mutated: [String]
  let tests: [String]
  /// Numbers of mutants that do not compile.
  let dropped: [Int]
  /// The modules that `canImport` finds.
  let modules: [String]
}

struct Reply: Encodable {
  var mutants: [Mutant] = []
  var tests: [TestCase] = []
  /// The lines of each written file.
  var lines: [String: [LineRange]] = [:]
}

let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
let request = try JSONDecoder().decode(Request.self, from: data)
let dropped = Set(request.dropped)
let configuration = Configuration(modules: Set(request.modules))
let words = Vocabulary()
var reply = Reply()

func read(_ file: String) throws -> [UInt8] {
  try [UInt8](Data(contentsOf: URL(filePath: "\(request.root)/\(file)")))
}

func parse(_ source: [UInt8]) -> SourceFileSyntax {
  let tree = Parser.parse(source: String(decoding: source, as: UTF8.self))
  let folded = OperatorTable.standardOperators.foldAll(tree) { _ in }
  return folded.as(SourceFileSyntax.self) ?? tree
}

/// Writes a file unless it has that text already, so that only what differs is built again.
func write(_ text: String, _ file: String) throws {
  let url = URL(filePath: "\(request.copy)/\(file)")
  if let old = try? Data(contentsOf: url), old == Data(text.utf8) { return }
  try FileManager.default.createDirectory(
    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data(text.utf8).write(to: url)
}

var trees: [String: (source: [UInt8], tree: SourceFileSyntax)] = [:]
for file in request.sources {
  let source = try read(file)
  let tree = parse(source)
  trees[file] = (source, tree)
  words.walk(tree)
}

let mutated = Set(request.mutated)
for file in request.sources {
  guard let (source, tree) = trees[file] else { continue }
  guard mutated.contains(file) else {
    try write(String(decoding: source, as: UTF8.self), file)
    continue
  }
  let finder = Finder(
    file, source, tree, words, configuration, firstNumber: (reply.mutants.last?.number ?? 0) + 1)
  reply.mutants += finder.mutants
  var renderer = Renderer(source: source, dropped: dropped)
  renderer.render(finder.sites, finder.insertions)
  reply.lines[file] = renderer.ranges
  try write(renderer.output, file)
}

for file in request.tests {
  let source = try read(file)
  let finder = TestFinder(file, parse(source), firstNumber: reply.tests.count + 1)
  reply.tests += finder.tests
  var renderer = Renderer(source: source, dropped: [])
  renderer.render([], finder.insertions)
  try write(renderer.output, file)
}

FileHandle.standardOutput.write(try JSONEncoder().encode(reply))
