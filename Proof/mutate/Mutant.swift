/// One mistake in the sources, made by the program.
struct Mutant: Encodable {
  let number: Int
  let file: String
  let line: Int
  /// The kind of mistake, in words: a row of the table.
  let kind: String
  /// The original text, on one line.
  let before: String
  /// The text that replaces it.
  let after: String
  /// The text of the line, without the space around it, by which a verdict is found again.
  let text: String
}

/// How a mutant is chosen when the program runs.
enum Choice: String {
  case plain = "mutant"
  /// The next lock that the thread takes is not taken.
  case unlocked = "mutantUnlocked"
}

/// A piece of source that has variants.
struct Site {
  enum Form {
    /// A statement: `if mutant(1) { … } else { … }`.
    case statement
    /// The only expression of a function that returns something: the same, with `return`.
    case returned
    /// An expression: `(mutant(1) ? … : …)`.
    case value
    /// The name in `guard let name`: an expression is added to it.
    case shorthand
  }

  let form: Form
  let range: Range<Int>
  var variants: [(number: Int, text: String, choice: Choice)] = []
}

/// A text that is added at an offset, for one mutant.
struct Insertion {
  let offset: Int
  let number: Int
  let text: String
}

/// The lines of a written file that belong to a mutant, or, with all their numbers, to a site.
struct LineRange: Encodable {
  let first: Int
  let last: Int
  let numbers: [Int]
}

/// Writes a source file with all its mutants in it.
struct Renderer {
  let source: [UInt8]
  let dropped: Set<Int>
  private(set) var output = ""
  private(set) var ranges: [LineRange] = []
  private var line = 1

  init(source: [UInt8], dropped: Set<Int>) {
    self.source = source
    self.dropped = dropped
  }

  mutating func render(_ sites: [Site], _ insertions: [Insertion]) {
    var live = sites
    for index in live.indices { live[index].variants.removeAll { dropped.contains($0.number) } }
    // Outer sites are first. An expression that is a whole statement is inside of the statement.
    live = live.filter { !$0.variants.isEmpty }.sorted {
      ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
    }
    let kept = insertions.filter { !dropped.contains($0.number) }.sorted { $0.offset < $1.offset }
    render(0..<source.count, live[...], kept[...])
  }

  private mutating func write(_ text: String) {
    output += text
    line += text.utf8.count { $0 == UInt8(ascii: "\n") }
  }

  private mutating func render(
    _ range: Range<Int>, _ sites: ArraySlice<Site>, _ insertions: ArraySlice<Insertion>
  ) {
    var at = range.lowerBound
    var sites = sites
    var insertions = insertions
    while at < range.upperBound || insertions.first?.offset == at {
      let next = sites.first?.range.lowerBound ?? range.upperBound
      if let insertion = insertions.first, insertion.offset <= next,
        insertion.offset <= range.upperBound
      {
        insertions.removeFirst()
        write(text(at..<insertion.offset))
        at = insertion.offset
        let first = line
        write(insertion.text)
        ranges.append(LineRange(first: first, last: line, numbers: [insertion.number]))
        continue
      }
      write(text(at..<next))
      at = next
      guard let site = sites.popFirst() else { continue }
      let inner = sites.prefix { $0.range.lowerBound < site.range.upperBound }
      sites = sites.dropFirst(inner.count)
      let within = insertions.prefix { $0.offset < site.range.upperBound }
      insertions = insertions.dropFirst(within.count)
      render(site, inner, within)
      at = site.range.upperBound
    }
  }

  private mutating func render(
    _ site: Site, _ sites: ArraySlice<Site>, _ insertions: ArraySlice<Insertion>
  ) {
    let start = line
    if site.form == .shorthand { write("\(text(site.range)) = ") }
    if site.form == .value || site.form == .shorthand { write("(") }
    for (number, variant, choice) in site.variants {
      let first = line + 1
      switch site.form {
      case .statement: write("if \(choice)(\(number)) {\n\(variant)\n} else ")
      case .returned: write("if \(choice)(\(number)) {\nreturn \(variant)\n}\n")
      case .value, .shorthand: write("\(choice)(\(number))\n? (\(variant)\n) : ")
      }
      ranges.append(LineRange(first: first, last: line - 1, numbers: [number]))
    }
    switch site.form {
    case .statement: write("{\n")
    case .returned: write("return ")
    case .value, .shorthand: write("(")
    }
    render(site.range, sites, insertions)
    switch site.form {
    case .statement: write("\n}")
    case .returned: break
    case .value, .shorthand: write("))")
    }
    ranges.append(
      LineRange(first: start, last: line, numbers: site.variants.map(\.number)))
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: source[range], as: UTF8.self)
  }
}

extension Choice: CustomStringConvertible {
  var description: String { rawValue }
}
