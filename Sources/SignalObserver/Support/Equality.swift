/// Returns a function that says whether two payloads of a type are equal; nil if they cannot be
/// compared.
///
/// A binding looks the function up once, when it is made. The lookup uses the type at run time, so
/// generic code compares as concrete code does. A conformance that belongs to an actor does not
/// count, because a binding compares on any thread.
@inlinable
func equality<Value>(of _: Value.Type) -> (@Sendable (Value, Value) -> Bool)? {
  func open<Comparable: Equatable & SendableMetatype>(
    _: Comparable.Type
  ) -> @Sendable (Value, Value) -> Bool {
    // This is right, because `Value` and `Comparable` are the same type.
    { unsafe unsafeBitCast($0, to: Comparable.self) == unsafeBitCast($1, to: Comparable.self) }
  }
  guard let type = Value.self as? any (Equatable & SendableMetatype).Type else { return nil }
  return open(type)
}
