import SwiftSyntax

/// The facts about the declarations of all sources that a mutant needs to compile.
final class Vocabulary: SyntaxVisitor {
  /// Names of functions, and whether any of that name returns something.
  private var returns: [String: Bool] = [:]
  /// Arguments with and without a default: the name of the function, and their label or index.
  private var defaulted: Set<String> = []
  private var asked: Set<String> = []
  /// Arguments that may be nil.
  private(set) var optional: Set<String> = []
  /// Arguments whose name is also declared in some other way.
  private var required: Set<String> = []
  /// Functions that run a closure under a lock.
  private(set) var lockers: Set<String> = ["withLock"]
  /// What may be written in place of `.inline`.
  private(set) var places: Set<String> = []
  /// The types that have `.inline`, other enumerations, and the types of the arguments.
  private var placeTypes: Set<String> = []
  private var otherTypes: Set<String> = []
  private var argumentTypes: [String: Set<String>] = [:]

  init() { super.init(viewMode: .sourceAccurate) }

  /// An argument without a label is known by its index.
  static func key(_ function: String, _ label: String?, _ index: Int) -> String {
    "\(function)(\(label ?? "\(index)"))"
  }

  func returnsNothing(_ name: String) -> Bool {
    if let returns = returns[name] { return !returns }
    return Self.system.contains(name)
  }

  /// The functions of the system's modules, by name.
  private static let system: Set<String> = [
    "append", "insert", "removeAll", "reserveCapacity", "cancel", "resume", "async", "finish",
    "deallocate", "swap", "sort", "store", "initialize", "precondition", "assert", "release",
  ]

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    let name = node.name.text
    let isVoid = node.signature.isVoid
    returns[name] = returns[name] ?? false || !isVoid
    note(node.signature.parameterClause, of: name)
    let takesClosure = node.signature.parameterClause.parameters.contains {
      $0.type.trimmedDescription.contains("->")
    }
    if name.hasPrefix("with"), takesClosure, node.body?.description.contains(".withLock") == true {
      lockers.insert(name)
    }
    return .visitChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    var parent = node.parent
    while let current = parent {
      if let type = current.declaredTypeName {
        note(node.signature.parameterClause, of: type)
        break
      }
      parent = current.parent
    }
    return .visitChildren
  }

  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    let cases = node.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
    let names = cases.flatMap { $0.elements.map(\.name.text) }
    if names.contains("inline") {
      places.formUnion(names.filter { $0 != "inline" })
      placeTypes.insert(node.name.text)
    } else {
      otherTypes.insert(node.name.text)
    }
    return .visitChildren
  }

  private func note(_ clause: FunctionParameterClauseSyntax, of function: String) {
    for (index, parameter) in clause.parameters.enumerated() {
      let label = parameter.firstName.text == "_" ? nil : parameter.firstName.text
      let key = Self.key(function, label, index)
      argumentTypes[key, default: []].insert(parameter.type.trimmedDescription)
      if parameter.defaultValue != nil { defaulted.insert(key) } else { asked.insert(key) }
      if parameter.type.isOptional { optional.insert(key) } else { required.insert(key) }
    }
  }

  /// Whether an argument may be `.inline`, as far as is known.
  func mayBeInline(_ key: String) -> Bool {
    argumentTypes[key].map { !$0.isDisjoint(with: placeTypes.subtracting(otherTypes)) } ?? true
  }

  func mayBeOmitted(_ key: String) -> Bool { defaulted.contains(key) && !asked.contains(key) }

  func mayBeNil(_ key: String) -> Bool { optional.contains(key) && !required.contains(key) }
}

extension FunctionSignatureSyntax {
  var isVoid: Bool {
    guard let type = returnClause?.type.trimmedDescription else { return true }
    return ["Void", "()", "Never"].contains(type)
  }
}

extension TypeSyntax {
  var isOptional: Bool {
    self.is(OptionalTypeSyntax.self)
      || self.as(AttributedTypeSyntax.self)?.baseType.is(OptionalTypeSyntax.self) == true
  }
}

extension Syntax {
  var declaredTypeName: String? {
    if let node = self.as(ClassDeclSyntax.self) { return node.name.text }
    if let node = self.as(StructDeclSyntax.self) { return node.name.text }
    if let node = self.as(EnumDeclSyntax.self) { return node.name.text }
    if let node = self.as(ActorDeclSyntax.self) { return node.name.text }
    if let node = self.as(ExtensionDeclSyntax.self) {
      return node.extendedType.as(IdentifierTypeSyntax.self)?.name.text
        ?? node.extendedType.trimmedDescription
    }
    return nil
  }
}
