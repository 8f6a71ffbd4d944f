import SwiftSyntax

/// Finds the places of a file where a mistake is possible, and makes a mutant of each.
final class Finder: SyntaxAnyVisitor {
  private let file: String
  private let source: [UInt8]
  private let lines: [String]
  private let converter: SourceLocationConverter
  private let words: Vocabulary
  private let configuration: Configuration
  private var number: Int

  private(set) var mutants: [Mutant] = []
  private(set) var sites: [Site] = []
  private(set) var insertions: [Insertion] = []

  /// A place whose text is replaced.
  ///
  /// Its site is not known yet.
  private struct Edit {
    let range: Range<Int>
    let number: Int
    let text: String
    let choice: Choice
  }
  private var edits: [Edit] = []
  /// The constants of functions that get their value after their declaration.
  private var late: Set<String> = []
  /// The weak properties, and the mutants that make them strong.
  private var weak: [String: Int] = [:]

  init(
    _ file: String, _ source: [UInt8], _ tree: SourceFileSyntax, _ words: Vocabulary,
    _ configuration: Configuration, firstNumber: Int
  ) {
    self.file = file
    self.source = source
    lines = String(decoding: source, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    converter = SourceLocationConverter(fileName: file, tree: tree)
    self.words = words
    self.configuration = configuration
    number = firstNumber
    super.init(viewMode: .sourceAccurate)
    walk(tree)
    placeEdits()
  }

  // MARK: - Making mutants

  private func range(_ node: some SyntaxProtocol) -> Range<Int> {
    node.positionAfterSkippingLeadingTrivia
      .utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: source[range], as: UTF8.self)
  }

  private func make(_ kind: String, at range: Range<Int>, after: String) -> Int {
    let line = converter.location(for: AbsolutePosition(utf8Offset: range.lowerBound)).line
    let trimmed = lines[line - 1].drop { $0 == " " }
    mutants.append(
      Mutant(
        number: number, file: file, line: line, kind: kind, before: oneLine(text(range)),
        after: oneLine(after), text: String(trimmed)))
    defer { number += 1 }
    return number
  }

  private func oneLine(_ text: String) -> String {
    text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
  }

  private func replace(
    _ range: Range<Int>, _ text: String, _ kind: String, choice: Choice = .plain,
    says after: String? = nil
  ) {
    let number = make(kind, at: range, after: after ?? text)
    edits.append(Edit(range: range, number: number, text: text, choice: choice))
  }

  private func replace(_ node: some SyntaxProtocol, _ text: String, _ kind: String) {
    replace(range(node), text, kind)
  }

  /// Gives each edit to the innermost site around it, as a variant of that site's whole text.
  private func placeEdits() {
    for edit in edits {
      let around = sites.indices.filter {
        sites[$0].range.lowerBound <= edit.range.lowerBound
          && sites[$0].range.upperBound >= edit.range.upperBound
      }
      guard let index = around.min(by: { sites[$0].range.count < sites[$1].range.count }) else {
        mutants.removeAll { $0.number == edit.number }
        continue
      }
      let site = sites[index].range
      let variant =
        text(site.lowerBound..<edit.range.lowerBound) + edit.text
        + text(edit.range.upperBound..<site.upperBound)
      sites[index].variants.append((edit.number, variant, edit.choice))
    }
  }

  private func addVariant(_ range: Range<Int>, _ number: Int, _ text: String) {
    guard let index = sites.firstIndex(where: { $0.range == range }) else { return }
    sites[index].variants.append((number, text, .plain))
  }

  // MARK: - What is left alone

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    switch node.kind {
    case .attribute, .enumCaseDecl, .macroExpansionExpr, .typeAnnotation, .genericParameterClause:
      return .skipChildren
    case .switchCaseItem:
      if let clause = node.cast(SwitchCaseItemSyntax.self).whereClause { walk(clause) }
      return .skipChildren
    case .functionDecl, .initializerDecl:
      // A declaration that cannot be called cannot contain a mistake.
      let attributes = node.asProtocol((any WithAttributesSyntax).self)?.attributes
      return attributes?.description.contains("unavailable") == true
        ? .skipChildren : visitFunction(node)
    case .deinitializerDecl, .accessorDecl: return visitFunction(node)
    default: return .visitChildren
    }
  }

  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
    if let clause = configuration.activeClause(of: node)?.elements { walk(clause) }
    return .skipChildren
  }

  // MARK: - Statements

  override func visit(_ list: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    let role = list.role
    for item in list { addSite(item, role) }
    if role == .statements {
      swapNeighbours(Array(list))
      moveUnderLock(Array(list))
    }
    return .visitChildren
  }

  private func addSite(_ item: CodeBlockItemSyntax, _ role: Role) {
    if let expression = item.expression {
      if role == .statements || expression.isBranching {
        sites.append(Site(form: .statement, range: range(item.item)))
        if role == .statements { removeStatement(item, expression) }
        return
      }
      if let name = expression.call?.name, ["fatalError", "preconditionFailure"].contains(name) {
        return
      }
      sites.append(Site(form: role == .returned ? .returned : .value, range: range(item.item)))
      if role == .returned { dropReturned(expression) }
      let isKnown = expression.call.map { words.returnsNothing($0.name) } ?? false
      if role != .returned, isKnown || expression.assignment != nil {
        replace(item.item, "()", kindOfRemoval(expression))
      }
      return
    }
    guard let statement = item.item.as(StmtSyntax.self) else { return }
    let isGuard = item.list?.parent?.parent?.is(GuardStmtSyntax.self) == true
    let isOnly = item.list?.count == 1
    switch statement.kind {
    case .guardStmt, .deferStmt, .fallThroughStmt, .yieldStmt, .discardStmt: return
    case .returnStmt:
      let expression = statement.cast(ReturnStmtSyntax.self).expression
      if expression == nil, isGuard { return }
      sites.append(Site(form: .statement, range: range(statement)))
      if let expression {
        dropReturned(expression)
      } else {
        replace(statement, "", "statement gone")
      }
    case .breakStmt, .continueStmt:
      if isGuard || isOnly && item.list?.parent?.is(SwitchCaseSyntax.self) == true { return }
      sites.append(Site(form: .statement, range: range(statement)))
      replace(statement, "", "statement gone")
    case .whileStmt, .forStmt, .repeatStmt:
      sites.append(Site(form: .statement, range: range(statement)))
      let isEndless = statement.as(WhileStmtSyntax.self)?.conditions.trimmedDescription == "true"
      if !isEndless { replace(statement, "", "statement gone") }
    default: sites.append(Site(form: .statement, range: range(statement)))
    }
  }

  private static let releasing = [
    "release", "cancel", "finish", "resume", "remove", "end", "free", "destroy", "dealloc",
    "deinit", "withExtendedLifetime", "close", "leave", "detach", "disconnect", "drop", "hold",
  ]

  private func kindOfRemoval(_ expression: ExprSyntax) -> String {
    let name = expression.call?.name.lowercased() ?? ""
    return Self.releasing.contains { name.hasPrefix($0.lowercased()) }
      ? "release gone" : "statement gone"
  }

  private func removeStatement(_ item: CodeBlockItemSyntax, _ expression: ExprSyntax) {
    let core = expression.core
    if let node = core.as(IfExprSyntax.self) {
      // If there is one statement, another mutant removes it by itself.
      if node.elseBody == nil, node.body.statements.count > 1 {
        replace(item.item, "", "statement gone")
      }
      return
    }
    if core.is(SwitchExprSyntax.self) { return }
    if let call = core.as(FunctionCallExprSyntax.self) {
      let callee = call.calledExpression.trimmedDescription
      if ["fatalError", "preconditionFailure", "super.init", "self.init"].contains(callee) {
        return
      }
      replace(item.item, "", kindOfRemoval(expression))
    } else if expression.assignment != nil {
      if !initializes(expression) { replace(item.item, "", "statement gone") }
    } else if core.is(OptionalChainingExprSyntax.self) || core.is(SubscriptCallExprSyntax.self) {
      replace(item.item, "", "statement gone")
    }
  }

  /// Whether an assignment gives a constant or a property its first value, which it must have.
  private func initializes(_ expression: ExprSyntax) -> Bool {
    guard let infix = expression.core.as(InfixOperatorExprSyntax.self), expression.assignment == "="
    else { return false }
    if Syntax(expression).function?.is(InitializerDeclSyntax.self) == true { return true }
    return infix.leftOperand.tokens(viewMode: .sourceAccurate).contains { late.contains($0.text) }
  }

  private func dropReturned(_ expression: ExprSyntax) {
    guard let type = Syntax(expression).function?.returnType, type.isOptional,
      !expression.core.is(NilLiteralExprSyntax.self), !expression.isBranching
    else { return }
    replace(expression, "nil", "optional dropped")
  }

  private func swapNeighbours(_ items: [CodeBlockItemSyntax]) {
    for (first, second) in zip(items, items.dropFirst()) {
      guard let a = first.expression, let b = second.expression, !a.isBranching, !b.isBranching,
        a.call != nil || b.call != nil,
        [a, b].allSatisfy({ $0.call != nil || $0.assignment != nil && !initializes($0) }),
        !text(range(a)).contains("consume "), !text(range(b)).contains("consume ")
      else { continue }
      let (one, two) = (range(first.item), range(second.item))
      let whole = one.lowerBound..<two.upperBound
      let number = make("neighbours swapped", at: whole, after: "\(text(two)); \(text(one))")
      addVariant(one, number, text(two))
      addVariant(two, number, text(one))
    }
  }

  /// After a call that takes a lock, moves the statements that follow under the lock.
  private func moveUnderLock(_ items: [CodeBlockItemSyntax]) {
    var lock: String?
    for item in items {
      let inItem = LockCalls(words.lockers, item)
      if let found = inItem.first {
        lock = found
      } else if let lock, let expression = item.expression, !expression.isBranching,
        expression.call != nil, !text(range(expression)).contains("await ")
      {
        let moved = "\(lock) { _ in \(text(range(expression))) }"
        replace(range(item.item), moved, "done under the lock")
      }
    }
  }

  // MARK: - Functions

  private func visitFunction(_ node: Syntax) -> SyntaxVisitorContinueKind {
    if let function = node.as(FunctionDeclSyntax.self), let body = function.body {
      returnEarly(body.statements, function.signature.returnClause?.type)
    } else if let body = node.as(DeinitializerDeclSyntax.self)?.body {
      returnEarly(body.statements, nil)
    } else if let accessor = node.as(AccessorDeclSyntax.self), let body = accessor.body,
      ["set", "didSet", "willSet"].contains(accessor.accessorSpecifier.text)
    {
      returnEarly(body.statements, nil)
    }
    return .visitChildren
  }

  private func returnEarly(_ list: CodeBlockItemListSyntax, _ type: TypeSyntax?) {
    guard list.count > 1, let first = list.first else { return }
    let name = type?.trimmedDescription ?? "Void"
    let values =
      switch name {
      case "Void", "()": [""]
      case "Bool": [" true", " false"]
      default: type?.isOptional == true ? [" nil"] : []
      }
    for value in values {
      let number = make("early return", at: range(first.item), after: "return\(value)")
      add("\nif mutant(\(number)) { return\(value) }\n", range(first.item).lowerBound, number)
    }
  }

  private func add(_ text: String, _ offset: Int, _ number: Int) {
    insertions.append(Insertion(offset: offset, number: number, text: text))
  }

  override func visit(_ node: DeferStmtSyntax) -> SyntaxVisitorContinueKind {
    let list = node.body.statements
    if list.count == 1, list.first?.expression?.isBranching == false { return .visitChildren }
    guard let first = list.first, let last = list.last else { return .visitChildren }
    let number = make("release gone", at: range(node), after: "")
    let (begin, end) = (range(first).lowerBound, range(last).upperBound)
    add("\nif !mutant(\(number)) {\n", begin, number)
    add("\n}\n", end, number)
    return .visitChildren
  }

  // MARK: - Values

  override func visit(_ node: InitializerClauseSyntax) -> SyntaxVisitorContinueKind {
    // This is about variables and parameters. A binding in a condition is part of the condition.
    let parent = node.parent
    if parent?.is(PatternBindingSyntax.self) == true, !node.value.isBranching {
      sites.append(Site(form: .value, range: range(node.value)))
    } else if parent?.is(FunctionParameterSyntax.self) == true {
      sites.append(Site(form: .value, range: range(node.value)))
    }
    return .visitChildren
  }

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    let isGuard = node.parent?.parent?.is(GuardStmtSyntax.self) == true
    switch node.condition {
    case .expression(let expression):
      if isGuard { sites.append(Site(form: .value, range: range(expression))) }
      turn(expression)
    case .optionalBinding(let binding):
      if let value = binding.initializer?.value {
        if isGuard { sites.append(Site(form: .value, range: range(value))) }
        replace(value, "mutantNil(\(text(range(value))))", "optional dropped")
      } else {
        let name = text(range(binding.pattern))
        if isGuard {
          sites.append(Site(form: .shorthand, range: range(binding.pattern)))
          replace(binding.pattern, "mutantNil(\(name))", "optional dropped")
        } else {
          replace(binding.pattern, "\(name) = mutantNil(\(name))", "optional dropped")
        }
      }
    case .matchingPattern(let pattern):
      if isGuard { sites.append(Site(form: .value, range: range(pattern.initializer.value))) }
    default: break
    }
    return .visitChildren
  }

  private func turn(_ expression: ExprSyntax) {
    if let prefix = expression.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
      replace(expression, text(range(prefix.expression)), "condition turned")
    } else if !expression.core.is(BooleanLiteralExprSyntax.self) {
      replace(expression, "!(\(text(range(expression))))", "condition turned")
    }
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    turn(node.condition)
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    turn(node.condition)
    return .visitChildren
  }

  override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
    turn(node.condition)
    return .visitChildren
  }

  // MARK: - Operators

  private static let shifted = [
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "..<": "...",
  ]
  private static let turned = [
    "+=": "-=", "-=": "+=", "&+=": "&-=", "&-=": "&+=", "+": "-", "-": "+", "&+": "&-", "&-": "&+",
    "*": "+", "/": "*", "%": "+", "&": "|", "|": "&", "|=": "&=", "&=": "|=",
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let (left, right) = (node.leftOperand, node.rightOperand)
    let name = node.operator.trimmedDescription
    if let other = Self.shifted[name] {
      // Another mutant turns the condition as a whole.
      let isEquality = name.hasPrefix("==") || name.hasPrefix("!=")
      if isEquality, node.parent?.is(ConditionElementSyntax.self) == true { return .visitChildren }
      replace(node.operator, other, "comparison shifted")
    } else if let other = Self.turned[name] {
      replace(node.operator, other, "arithmetic turned")
    } else if name == "&&" || name == "||" {
      replace(
        node, "((\(text(range(left)))) \(name == "&&" ? "||" : "&&") (\(text(range(right)))))",
        "condition turned")
    } else if name == "??" {
      replace(node, text(range(right)), "optional dropped")
    }
    return .visitChildren
  }

  // MARK: - Constants

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if node.parent?.is(ConditionElementSyntax.self) == true { return .skipChildren }
    replace(node, node.literal.text == "true" ? "false" : "true", "constant off by one")
    return .skipChildren
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let digits = node.literal.text.filter { $0 != "_" }
    guard let value = Int(digits) else { return .skipChildren }
    replace(node, "\(value + 1)", "constant off by one")
    return .skipChildren
  }

  // MARK: - Calls

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.name
    let arguments = Array(node.arguments)
    for (index, argument) in arguments.enumerated() {
      let key = Vocabulary.key(name, argument.label?.text, index)
      if words.mayBeOmitted(key) {
        // The comma behind the argument is removed, too, or the one before it if the argument is
        // the last.
        let from =
          index == arguments.count - 1 && index > 0
          ? range(arguments[index - 1].expression).upperBound : range(argument).lowerBound
        let to =
          index + 1 < arguments.count
          ? range(arguments[index + 1]).lowerBound : range(argument).upperBound
        replace(from..<to, "", "argument dropped")
      } else if words.mayBeNil(key), !argument.expression.core.is(NilLiteralExprSyntax.self) {
        replace(argument.expression, "nil", "argument dropped")
      }
    }
    if words.lockers.contains(name), !Syntax(node).isWithinCallee {
      let whole = range(node)
      replace(whole, text(whole), "lock gone", choice: .unlocked, says: "without the lock")
    }
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    guard node.base == nil, words.places.contains(node.declName.baseName.text) else {
      return .visitChildren
    }
    var whole = Syntax(node)
    if let call = node.parent?.as(FunctionCallExprSyntax.self), call.calledExpression.id == node.id
    {
      whole = Syntax(call)
    }
    if whole.parent?.is(InfixOperatorExprSyntax.self) == true { return .visitChildren }
    if let argument = whole.parent?.as(LabeledExprSyntax.self),
      let call = argument.parent?.parent?.as(FunctionCallExprSyntax.self),
      let index = Array(call.arguments).firstIndex(of: argument),
      !words.mayBeInline(Vocabulary.key(call.name, argument.label?.text, index))
    {
      return .visitChildren
    }
    replace(whole, ".inline", "place made inline")
    return .visitChildren
  }

  // MARK: - Weak references

  override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
    guard node.specifier?.specifier.text == "weak" else { return .visitChildren }
    let number = make("weak made strong", at: range(node), after: "strong \(node.name.text)")
    if let value = node.initializer?.value {
      add("mutantHeld(\(number), ", range(value).lowerBound, number)
      add(")", range(value).upperBound, number)
    } else {
      add(" = mutantHeld(\(number), \(node.name.text))", range(node).upperBound, number)
    }
    return .visitChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.parent?.is(CodeBlockItemSyntax.self) == true {
      for binding in node.bindings where binding.initializer == nil {
        late.formUnion(binding.pattern.tokens(viewMode: .sourceAccurate).map(\.text))
      }
    }
    let isMember = node.parent?.is(MemberBlockItemSyntax.self) == true
    guard isMember, node.modifiers.contains(where: { $0.name.text == "weak" }),
      let binding = node.bindings.first, binding.initializer == nil
    else { return .visitChildren }
    let name = text(range(binding.pattern))
    let number = make("weak made strong", at: range(node), after: "strong var \(name)")
    weak[name] = number
    add(
      "\nnonisolated(unsafe) var mutantHeld\(number): AnyObject? = nil\n", range(node).lowerBound,
      number)
    return .visitChildren
  }

  override func visitPost(_ node: InfixOperatorExprSyntax) {
    guard node.operator.trimmedDescription == "=",
      let item = node.parent?.as(CodeBlockItemSyntax.self)
        ?? node.parent?.parent?.as(
          CodeBlockItemSyntax.self)
    else { return }
    let left = text(range(node.leftOperand))
    let name = left.hasPrefix("self.") ? String(left.dropFirst(5)) : left
    guard let number = weak[name] else { return }
    add(
      "\nif mutant(\(number)) { self.mutantHeld\(number) = self.\(name) }\n",
      range(item).upperBound, number)
  }
}

extension Syntax {
  /// Whether the node is part of the callee of another call: `a.withLock { … }.b()`.
  fileprivate var isWithinCallee: Bool {
    guard let member = parent?.as(MemberAccessExprSyntax.self) else { return false }
    return member.parent?.is(FunctionCallExprSyntax.self) == true && member.base?.id == id
  }
}

/// The calls in a statement that take a lock.
private final class LockCalls: SyntaxVisitor {
  private let lockers: Set<String>
  /// The callee of the first of them.
  private(set) var first: String?

  init(_ lockers: Set<String>, _ node: some SyntaxProtocol) {
    self.lockers = lockers
    super.init(viewMode: .sourceAccurate)
    walk(node)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard first == nil, lockers.contains(node.name) else { return .visitChildren }
    let isUnsafe = node.parent?.is(UnsafeExprSyntax.self) == true
    first = (isUnsafe ? "unsafe " : "") + node.calledExpression.trimmedDescription
    return .visitChildren
  }
}
