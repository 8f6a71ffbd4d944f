import SwiftSyntax

/// The answers to the conditions of the sources, which select the clause that is built.
///
/// An unknown condition is false.
struct Configuration {
  private static let flags: Set<String> = ["CHECKED", "DEBUG", "SWIFT_PACKAGE"]
  let modules: Set<String>

  func activeClause(of node: IfConfigDeclSyntax) -> IfConfigClauseSyntax? {
    node.clauses.first { clause in clause.condition.map(isTrue) ?? true }
  }

  private func isTrue(_ condition: ExprSyntax) -> Bool {
    if let infix = condition.as(InfixOperatorExprSyntax.self) {
      let (left, right) = (isTrue(infix.leftOperand), isTrue(infix.rightOperand))
      return infix.operator.trimmedDescription == "&&" ? left && right : left || right
    }
    if let prefix = condition.as(PrefixOperatorExprSyntax.self) {
      return !isTrue(prefix.expression)
    }
    guard let call = condition.as(FunctionCallExprSyntax.self) else {
      return Self.flags.contains(condition.trimmedDescription)
    }
    let argument = call.arguments.trimmedDescription
    return switch call.calledExpression.trimmedDescription {
    case "canImport": modules.contains(argument)
    case "os": argument == "Linux"
    case "compiler": argument.hasPrefix(">=")
    default: false
    }
  }
}
