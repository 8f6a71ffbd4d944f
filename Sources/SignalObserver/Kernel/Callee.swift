/// What a connection calls.
///
/// `@unchecked Sendable`: constant; the body is as `Sendable` as the connect form that made it
/// demands.
@safe
final class Callee: @unchecked Sendable {
  /// For those that call nobody, any more or in this way.
  static let nothing = unsafe Callee { _, _ in }

  let body: (__owned AnyObject?, UnsafeRawPointer) -> Void

  init(_ body: @escaping (__owned AnyObject?, UnsafeRawPointer) -> Void) { unsafe self.body = body }
}
