/// The function that a connection calls.
///
/// `@unchecked Sendable`: constant; the body is as `Sendable` as the connect form that made it
/// demands.
@safe
class Callee: @unchecked Sendable {
  final let body: (__owned AnyObject?, UnsafeRawPointer) -> Void

  init(_ body: @escaping (__owned AnyObject?, UnsafeRawPointer) -> Void) { unsafe self.body = body }
}

/// The same of a part that stands in front of a slot; of its own, so that others have no room for
/// the label.
///
/// `@unchecked Sendable`: constant.
final class LabelledCallee: Callee, @unchecked Sendable {
  let label: @Sendable () -> String

  init(
    _ body: @escaping (__owned AnyObject?, UnsafeRawPointer) -> Void,
    label: @escaping @Sendable () -> String
  ) {
    self.label = label
    unsafe super.init(body)
  }
}
