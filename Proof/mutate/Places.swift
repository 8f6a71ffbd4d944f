import SwiftSyntax

/// How the statements of a list are used.
enum Role {
  case statements
  /// The only expression is returned.
  case returned
  /// The only expression is the value of the closure, which may be nothing.
  case closure
  /// The only expression is the value of a branch.
  case branch
}

extension CodeBlockItemListSyntax {
  var role: Role {
    guard count == 1, let parent else { return .statements }
    if parent.is(ClosureExprSyntax.self) { return .closure }
    if parent.is(AccessorBlockSyntax.self) { return .returned }
    if let branch = parent.as(SwitchCaseSyntax.self) {
      let expression = branch.parent?.parent?.as(SwitchExprSyntax.self)
      return expression.map { Syntax($0).isValue } == true ? .branch : .statements
    }
    guard parent.is(CodeBlockSyntax.self), let owner = parent.parent else { return .statements }
    if let function = owner.as(FunctionDeclSyntax.self) {
      return function.signature.isVoid ? .statements : .returned
    }
    if let accessor = owner.as(AccessorDeclSyntax.self) {
      return accessor.accessorSpecifier.text == "get" ? .returned : .statements
    }
    if let branch = owner.as(IfExprSyntax.self), Syntax(branch).isValue { return .branch }
    return .statements
  }
}

extension CodeBlockItemSyntax {
  /// The expression that the item is, if it is one.
  var expression: ExprSyntax? {
    if let expression = item.as(ExprSyntax.self) { return expression }
    return item.as(ExpressionStmtSyntax.self)?.expression
  }

  var list: CodeBlockItemListSyntax? { parent?.as(CodeBlockItemListSyntax.self) }
}

extension ExprSyntax {
  var isBranching: Bool { self.is(IfExprSyntax.self) || self.is(SwitchExprSyntax.self) }

  /// The expression without `try`, `await`, `unsafe` and parentheses.
  var core: ExprSyntax {
    if let node = self.as(TryExprSyntax.self), node.questionOrExclamationMark == nil {
      return node.expression.core
    }
    if let node = self.as(AwaitExprSyntax.self) { return node.expression.core }
    if let node = self.as(UnsafeExprSyntax.self) { return node.expression.core }
    if let node = self.as(TupleExprSyntax.self), node.elements.count == 1,
      let only = node.elements.first, only.label == nil
    {
      return only.expression.core
    }
    return self
  }

  var call: FunctionCallExprSyntax? { core.as(FunctionCallExprSyntax.self) }

  /// The operator, if it is an assignment: `=`, `+=`, and so on.
  var assignment: String? {
    guard let infix = core.as(InfixOperatorExprSyntax.self) else { return nil }
    let text = infix.operator.trimmedDescription
    let isComparison = ["==", "!=", "<=", ">=", "===", "!=="].contains(text)
    return text.hasSuffix("=") && !isComparison ? text : nil
  }
}

extension FunctionCallExprSyntax {
  /// The last part of the callee's name.
  var name: String {
    let called = calledExpression.core
    if let member = called.as(MemberAccessExprSyntax.self) {
      let name = member.declName.baseName.text
      return name == "init" ? member.base?.trimmedDescription ?? name : name
    }
    if let reference = called.as(DeclReferenceExprSyntax.self) { return reference.baseName.text }
    if let optional = called.as(OptionalChainingExprSyntax.self) {
      return optional.expression.trimmedDescription
    }
    if let generic = called.as(GenericSpecializationExprSyntax.self) {
      return generic.expression.trimmedDescription
    }
    return ""
  }
}

extension Syntax {
  /// Whether an `if` or a `switch` is used as a value.
  var isValue: Bool {
    guard let parent else { return false }
    if parent.is(IfExprSyntax.self) { return parent.isValue }
    let item = parent.as(CodeBlockItemSyntax.self) ?? parent.parent?.as(CodeBlockItemSyntax.self)
    guard parent.is(ExpressionStmtSyntax.self) || parent.is(CodeBlockItemSyntax.self), let item
    else { return true }
    return item.list.map { $0.role != .statements } ?? false
  }

  /// The function, accessor or closure that the node is in.
  var function: Syntax? {
    var current = parent
    while let node = current {
      if node.is(FunctionDeclSyntax.self) || node.is(AccessorDeclSyntax.self)
        || node.is(ClosureExprSyntax.self) || node.is(InitializerDeclSyntax.self)
        || node.is(DeinitializerDeclSyntax.self)
        || node.is(AccessorBlockSyntax.self)
          && node.as(AccessorBlockSyntax.self)?.accessors.is(CodeBlockItemListSyntax.self) == true
      {
        return node
      }
      current = node.parent
    }
    return nil
  }

  /// The result type of a function, if it is written.
  var returnType: TypeSyntax? {
    if let node = self.as(FunctionDeclSyntax.self) { return node.signature.returnClause?.type }
    if self.is(ClosureExprSyntax.self) {
      return self.as(ClosureExprSyntax.self)?.signature?.returnClause?.type
    }
    let block =
      self.as(AccessorBlockSyntax.self)
      ?? self.as(AccessorDeclSyntax.self)?.parent?.parent?.as(AccessorBlockSyntax.self)
    if let accessor = self.as(AccessorDeclSyntax.self), accessor.accessorSpecifier.text != "get" {
      return nil
    }
    return block?.parent?.as(PatternBindingSyntax.self)?.typeAnnotation?.type
      ?? block?.parent?.as(SubscriptDeclSyntax.self)?.returnClause.type
  }
}
