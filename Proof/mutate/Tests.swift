import SwiftSyntax

/// A test, which has a number.
struct TestCase: Encodable {
  let number: Int
  let file: String
  /// The outermost type that it is in; empty if there is none.
  let suite: String
  let name: String
}

/// Finds the tests of a file, and makes each one report when it begins and ends.
final class TestFinder: SyntaxAnyVisitor {
  private let file: String
  private var number: Int
  private var types: [String] = []
  private(set) var tests: [TestCase] = []
  private(set) var insertions: [Insertion] = []

  init(_ file: String, _ tree: SourceFileSyntax, firstNumber: Int) {
    self.file = file
    number = firstNumber
    super.init(viewMode: .sourceAccurate)
    walk(tree)
  }

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    if let name = node.declaredTypeName { types.append(name) }
    return .visitChildren
  }

  override func visitAnyPost(_ node: Syntax) {
    if node.declaredTypeName != nil { types.removeLast() }
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    let isTest = node.attributes.contains {
      $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "Test"
    }
    guard isTest, let body = node.body else { return .visitChildren }
    let suite = types.first ?? ""
    tests.append(TestCase(number: number, file: file, suite: suite, name: node.name.text))
    insertions.append(
      Insertion(
        offset: body.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset, number: -1,
        text: " guard mutantTest(\(number)) else { return }; defer { mutantTestEnds() }; "))
    number += 1
    return .visitChildren
  }
}
