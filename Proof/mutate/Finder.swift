import SwiftSyntax

/// Finds the places of a file where a mistake is possible, and makes a mutant of each.
final class Finder: SyntaxAnyVisitor {
  private let file: String
  private let source: [UInt8]
  private(set) var sites: [Site] = []
  /// What is to be replaced, and where a guard begins that is to fail.
  private var edits: [(range: Range<Int>, text: String, kind: String, start: Int?)] = []
  /// The constants of functions that get their value after their declaration.
  private var late: Set<String> = []

  init(_ file: String, _ source: [UInt8], _ tree: SourceFileSyntax) {
    (self.file, self.source) = (file, source)
    super.init(viewMode: .sourceAccurate)
    walk(tree)
    makeMutants(SourceLocationConverter(fileName: file, tree: tree))
  }

  // MARK: - Making mutants

  private func text(_ range: Range<Int>) -> String {
    String(decoding: source[range], as: UTF8.self)
  }

  private func replace(_ node: some SyntaxProtocol, _ text: String, _ kind: String) {
    edits.append((node.range, text, kind, nil))
  }

  private func addSite(_ form: Site.Form, _ node: some SyntaxProtocol) {
    sites.append(Site(form: form, range: node.range))
  }

  /// Gives each edit to the innermost site around it, as a variant of that site's whole text.
  private func makeMutants(_ converter: SourceLocationConverter) {
    func oneLine(_ text: String) -> String {
      text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }
    var keys: [String: Int] = [:]
    for (range, replacement, kind, start) in edits {
      if let start { sites.append(Site(form: .addition, range: start..<start)) }
      let around = sites.indices.filter { sites[$0].range.contains(range) }
      let innermost = around.min { sites[$0].range.count < sites[$1].range.count }
      guard let index = start == nil ? innermost : sites.count - 1 else { continue }
      let line = converter.location(for: AbsolutePosition(utf8Offset: range.lowerBound)).line
      let lineText = oneLine(converter.sourceLines[line - 1])
      let (before, after) = (oneLine(text(range)), oneLine(replacement))
      let key = [file, kind, lineText, before, after].joined(separator: " | ")
      keys[key, default: 0] += 1
      let mutant = Mutant(
        number: reply.mutants.count + 1, file: file, line: line, kind: kind, before: before,
        after: after, text: lineText, key: "\(key) | \(keys[key] ?? 0)")
      reply.mutants.append(mutant)
      if request.dropped.contains(mutant.key) { continue }
      let site = sites[index].range
      let variant =
        start == nil
        ? text(site.lowerBound..<range.lowerBound) + replacement
          + text(range.upperBound..<site.upperBound) : " !mutant(\(mutant.number)),"
      sites[index].variants.append((mutant.number, variant))
    }
  }

  // MARK: - What is left alone

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    switch node.kind {
    case .attribute, .enumCaseDecl, .switchCaseItem, .macroExpansionExpr, .typeAnnotation,
      .genericParameterClause:
      return .skipChildren
    case .functionDecl, .initializerDecl:
      // A declaration that cannot be called cannot contain a mistake.
      let attributes = node.asProtocol((any WithAttributesSyntax).self)?.attributes.description
      return attributes?.contains("unavailable") == true ? .skipChildren : .visitChildren
    default: return .visitChildren
    }
  }

  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
    let active = node.clauses.first { $0.condition.map(isTrue) ?? true }
    if let elements = active?.elements { walk(elements) }
    return .skipChildren
  }

  private func isTrue(_ condition: ExprSyntax) -> Bool {
    if let infix = condition.core.as(InfixOperatorExprSyntax.self) {
      let (left, right) = (isTrue(infix.leftOperand), isTrue(infix.rightOperand))
      return infix.operator.trimmedDescription == "&&" ? left && right : left || right
    }
    let prefix = condition.as(PrefixOperatorExprSyntax.self)
    if let prefix { return !isTrue(prefix.expression) }
    return request.conditions.contains(condition.trimmedDescription)
  }

  // MARK: - Statements

  override func visit(_ item: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    if let expression = item.expression {
      let name = expression.core.as(FunctionCallExprSyntax.self)?.name ?? ""
      if ["fatalError", "preconditionFailure"].contains(name) { return .visitChildren }
      addSite(.statement, item.item)
      let isKnown = item.isStatement ?? (words.silent.contains(name) || expression.isAssignment)
      if isKnown, isRemovable(expression) { replace(item.item, "", "statement gone") }
      return .visitChildren
    }
    guard let statement = item.item.as(StmtSyntax.self) else { return .visitChildren }
    let owner = item.parent?.parent
    // What leaves a guard must stay, and a `break` at the end of a case does nothing.
    let mustStay =
      owner?.parent?.is(GuardStmtSyntax.self) ?? false || owner?.is(SwitchCaseSyntax.self) ?? false
    switch statement.kind {
    case .guardStmt, .deferStmt, .fallThroughStmt, .yieldStmt, .discardStmt: return .visitChildren
    case .returnStmt where statement.as(ReturnStmtSyntax.self)?.expression != nil: break
    case .whileStmt where statement.trimmedDescription.hasPrefix("while true"): break
    case .returnStmt where !mustStay, .breakStmt where !mustStay, .continueStmt where !mustStay,
      .forStmt, .whileStmt:
      replace(statement, "", "statement gone")
    default: break
    }
    addSite(.statement, statement)
    return .visitChildren
  }

  private func isRemovable(_ expression: ExprSyntax) -> Bool {
    let core = expression.core
    // If there is one statement, another mutant removes it by itself.
    if let node = core.as(IfExprSyntax.self) {
      return node.elseBody == nil && node.body.statements.count > 1
    }
    if let call = core.as(FunctionCallExprSyntax.self) { return !call.name.hasSuffix("init") }
    guard let infix = core.as(InfixOperatorExprSyntax.self), expression.isAssignment else {
      return core.is(OptionalChainingExprSyntax.self)
    }
    // A constant or a property must have its first value.
    let isFirst = Syntax(expression).ancestors.contains { $0.is(InitializerDeclSyntax.self) }
    let names = infix.leftOperand.tokens(viewMode: .sourceAccurate).map(\.text)
    return infix.operator.trimmedDescription != "=" || !isFirst && late.isDisjoint(with: names)
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let bindings = node.bindings.filter { $0.initializer == nil }
    if node.bindingSpecifier.text == "let" {
      late.formUnion(bindings.map(\.pattern.trimmedDescription))
    }
    return .visitChildren
  }

  // MARK: - Values and conditions

  override func visit(_ node: InitializerClauseSyntax) -> SyntaxVisitorContinueKind {
    // A binding in a condition is part of the condition.
    let isBranching = node.value.is(IfExprSyntax.self) || node.value.is(SwitchExprSyntax.self)
    let isVariable = node.parent?.is(PatternBindingSyntax.self) == true && !isBranching
    if isVariable || node.parent?.is(FunctionParameterSyntax.self) == true {
      addSite(.value, node.value)
    }
    return .visitChildren
  }

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    let owner = node.parent?.parent
    let isGuard = owner?.is(GuardStmtSyntax.self) == true
    switch node.condition {
    case .expression(let expression):
      if isGuard { addSite(.value, expression) }
      // Another mutant changes an operator or a constant.
      if let prefix = expression.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
        replace(expression, prefix.expression.trimmedDescription, "condition turned")
      } else if !expression.is(InfixOperatorExprSyntax.self),
        !expression.is(BooleanLiteralExprSyntax.self)
      {
        replace(expression, "!(\(expression.trimmedDescription))", "condition turned")
      }
    case .matchingPattern(let pattern) where isGuard: addSite(.value, pattern.initializer.value)
    case .optionalBinding(let binding):
      if isGuard, let value = binding.initializer?.value { addSite(.value, value) }
      let keyword = owner?.firstToken(viewMode: .sourceAccurate)
      edits.append((binding.range, "nil", "optional dropped", keyword?.range.upperBound))
    default: break
    }
    return .visitChildren
  }

  private static let operators = [
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "..<": "...", "+=": "-=", "-=": "+=", "&+=": "&-=", "&-=": "&+=", "+": "-", "-": "+",
    "&+": "&-", "&-": "&+", "*": "+", "/": "*", "%": "+", "&": "|", "|": "&", "|=": "&=",
    "&=": "|=", "&&": "||", "||": "&&",
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.operator.trimmedDescription
    if name == "??" {
      replace(node, node.rightOperand.trimmedDescription, "optional dropped")
    } else if let other = Self.operators[name] {
      replace(node.operator, other, "operator changed")
    }
    return .visitChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if node.parent?.is(ConditionElementSyntax.self) == false {
      replace(node, node.literal.text == "true" ? "false" : "true", "constant off by one")
    }
    return .skipChildren
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let value = Int(node.literal.text.filter { $0 != "_" })
    if let value { replace(node, "\(value + 1)", "constant off by one") }
    return .skipChildren
  }

  // MARK: - Calls

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let (name, arguments) = (node.name, Array(node.arguments))
    for (index, argument) in arguments.enumerated() {
      let allowed = words.allows(name, argument.label?.text, index)
      if allowed.omission {
        let kept = arguments.filter { $0 != argument }.map { $0.with(\.trailingComma, nil) }
        let list = kept.map(\.trimmedDescription).joined(separator: ", ")
        replace(node.arguments, list, "argument dropped")
      } else if allowed.nothing, !argument.expression.core.is(NilLiteralExprSyntax.self) {
        replace(argument.expression, "nil", "argument dropped")
      }
    }
    // The run does not take the thread's next lock. A lock of Remote is not the copy's.
    if ["withLock", "withState"].contains(name), !file.contains("NATS") {
      replace(node, node.trimmedDescription, "lock gone")
    }
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    let places = ["queue", "main", "actor", "confined", "task"]
    guard node.base == nil, places.contains(node.declName.baseName.text) else {
      return .visitChildren
    }
    let call = node.parent?.as(FunctionCallExprSyntax.self)
    let whole = call?.calledExpression.id == node.id ? call.map(Syntax.init) : Syntax(node)
    if let whole, whole.parent?.is(InfixOperatorExprSyntax.self) == false {
      replace(whole, ".inline", "place made inline")
    }
    return .visitChildren
  }
}

extension SyntaxProtocol {
  /// Without the space around it.
  fileprivate var range: Range<Int> {
    let start = positionAfterSkippingLeadingTrivia.utf8Offset
    return start..<endPositionBeforeTrailingTrivia.utf8Offset
  }
}

/// Finds the tests of a file, and makes each one report when it begins.
final class TestFinder: SyntaxVisitor {
  private(set) var sites: [Site] = []

  init(_ tree: SourceFileSyntax) {
    super.init(viewMode: .sourceAccurate)
    walk(tree)
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    let isTest = node.attributes.contains {
      $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "Test"
    }
    guard isTest, let start = node.body?.leftBrace.range.upperBound else { return .visitChildren }
    reply.tests.append(Syntax(node).ancestors.compactMap(\.declaredTypeName).last ?? "")
    let text = " guard mutantTest(\(reply.tests.count)) else { return }; "
    sites.append(Site(form: .addition, range: start..<start, variants: [(0, text)]))
    return .visitChildren
  }
}
