/// The place of a method that is given by its name, `Type.method`, and of nothing else.
///
/// A closure is a function, too, and would fit the parameter of a method if its mistakes were
/// mended. The compiler would then count dozens of forms among the possible meanings of a closure
/// with a mistake, and answer that none of them matches. As a result builder that can build
/// nothing, this type takes closures out of the count. A method by its name is no closure, and the
/// compiler passes it on as it is.
@_documentation(visibility: internal)
@resultBuilder
public enum MethodName {
  /// Cannot be called.
  ///
  /// Each argument that a closure does not give is one more mistake of the closure.
  @_documentation(visibility: internal)
  public static func buildBlock(
    _: Never, _: Never, _: Never, _: Never, _: Never, _: Never
  ) -> Never {}
}
