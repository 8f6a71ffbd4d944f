/// A weak reference in a local variable: `@Weakly var released = object`.
///
/// Swift 6.2 has no `weak let`, and Swift 6.3 warns of a `weak var` that nobody sets.
@propertyWrapper
public struct Weakly<Object: AnyObject> {
  /// The object, or nil once it is gone.
  public private(set) weak var wrappedValue: Object?

  /// Refers to an object.
  public init(wrappedValue: Object?) { self.wrappedValue = wrappedValue }
}
