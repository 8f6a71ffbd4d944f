/// Marks a parameter that takes a method by its name, `Type.method`, and no closure.
///
/// A closure is a function, too. While it recovers from the errors of a closure, the compiler also
/// tries the closure as the argument for a method. It would therefore consider dozens of forms, and
/// answer that none of them matches. This type is a result builder that can build nothing, so no
/// closure fits its parameter. Result builders apply to closures only: the compiler passes on a
/// method as it is.
///
/// It has no value. As the type of a parameter it refuses `.method`, `method` and `object.method`.
/// The compiler then names what is missing: "type 'TypeDotMethod' has no member 'show'".
@_documentation(visibility: internal)
@resultBuilder
public enum TypeDotMethod {
  /// Cannot be called, like the others.
  ///
  /// A closure gives none of the arguments, and each missing one counts as a mistake of one of its
  /// statements.
  @_documentation(visibility: internal)
  public static func buildExpression(
    _: Never, _: Never, _: Never, _: Never, _: Never, _: Never
  ) -> Never {}

  /// Cannot be called.
  @_documentation(visibility: internal)
  public static func buildOptional(
    _: Never, _: Never, _: Never, _: Never, _: Never, _: Never
  ) -> Never {}

  /// Cannot be called.
  @_documentation(visibility: internal)
  public static func buildBlock(
    _: Never, _: Never, _: Never, _: Never, _: Never, _: Never
  ) -> Never {}
}
