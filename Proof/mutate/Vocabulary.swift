import SwiftSyntax

/// The facts about the declarations of all sources that a mutant needs to compile.
final class Vocabulary: SyntaxVisitor {
  /// The parameters with a label or an index, of all functions and types of a name.
  private var parameters: [String: [FunctionParameterSyntax]] = [:]
  /// Functions that return nothing, and some of the system's modules.
  private(set) var silent: Set<String> = [
    "append", "removeAll", "cancel", "resume", "async", "release",
  ]

  init() { super.init(viewMode: .sourceAccurate) }

  /// An argument without a label is known by its index.
  private static func key(_ function: String, _ label: String?, _ index: Int) -> String {
    "\(function)(\(label ?? "\(index)"))"
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    note(node.signature.parameterClause, of: node.name.text)
    if node.signature.returnClause == nil { silent.insert(node.name.text) }
    return .visitChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    let type = Syntax(node).ancestors.lazy.compactMap(\.declaredTypeName).first
    note(node.signature.parameterClause, of: type ?? "")
    return .visitChildren
  }

  private func note(_ clause: FunctionParameterClauseSyntax, of function: String) {
    for (index, parameter) in clause.parameters.enumerated() {
      let label = parameter.firstName.text == "_" ? nil : parameter.firstName.text
      parameters[Self.key(function, label, index), default: []].append(parameter)
    }
  }

  /// Whether an argument may be left out, and whether it may be nil, in all functions of that name.
  func allows(
    _ function: String, _ label: String?, _ index: Int
  ) -> (omission: Bool, nothing: Bool) {
    guard let all = parameters[Self.key(function, label, index)] else { return (false, false) }
    return (all.allSatisfy { $0.defaultValue != nil }, all.allSatisfy(\.type.isOptional))
  }
}

extension TypeSyntax {
  fileprivate var isOptional: Bool {
    self.is(OptionalTypeSyntax.self)
      || self.as(AttributedTypeSyntax.self)?.baseType.is(OptionalTypeSyntax.self) == true
  }
}

extension Syntax {
  /// The nodes around this one, the innermost first.
  var ancestors: UnfoldFirstSequence<Syntax> { sequence(first: self, next: \.parent) }

  var declaredTypeName: String? {
    if let node = asProtocol((any NamedDeclSyntax).self), !self.is(FunctionDeclSyntax.self) {
      return node.name.text
    }
    return self.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
  }
}

extension CodeBlockItemSyntax {
  /// The expression that the item is, if it is one.
  var expression: ExprSyntax? {
    item.as(ExprSyntax.self) ?? item.as(ExpressionStmtSyntax.self)?.expression
  }

  /// Whether it is a statement and not a result; nil if the compiler alone knows.
  var isStatement: Bool? {
    guard parent?.as(CodeBlockItemListSyntax.self)?.count == 1 else { return true }
    let owner = parent?.parent?.as(CodeBlockSyntax.self)?.parent ?? parent?.parent
    if let function = owner?.as(FunctionDeclSyntax.self) {
      return function.signature.returnClause == nil
    }
    if let accessor = owner?.as(AccessorDeclSyntax.self) {
      return accessor.accessorSpecifier.text != "get"
    }
    if owner?.is(AccessorBlockSyntax.self) == true { return false }
    return owner?.is(ClosureExprSyntax.self) == true ? nil : true
  }
}

extension ExprSyntax {
  /// The expression without `try`, `await` and `unsafe`.
  var core: ExprSyntax {
    if let node = self.as(TryExprSyntax.self), node.questionOrExclamationMark == nil {
      return node.expression.core
    }
    if let node = self.as(AwaitExprSyntax.self) { return node.expression.core }
    if let node = self.as(UnsafeExprSyntax.self) { return node.expression.core }
    return self
  }

  /// Whether it is `=`, `+=`, and so on.
  var isAssignment: Bool {
    let name = core.as(InfixOperatorExprSyntax.self)?.operator.trimmedDescription ?? ""
    return name.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(name)
  }
}

extension FunctionCallExprSyntax {
  /// The last part of the callee's name.
  var name: String {
    let called = calledExpression.core
    guard let member = called.as(MemberAccessExprSyntax.self) else {
      let generic = called.as(GenericSpecializationExprSyntax.self)?.expression
      return (generic ?? called).trimmedDescription
    }
    let name = member.declName.baseName.text
    return name == "init" ? member.base?.trimmedDescription ?? name : name
  }
}
