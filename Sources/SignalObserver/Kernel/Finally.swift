/// Calls a function when it is released.
///
/// A connection holds such an object to tell its operator that it has ended (guarantee 9), and a
/// note is one that ends its connection (guarantee 10), or that tells `invokeAndWait`.
@usableFromInline
final class Finally: Sendable {
  private let body: Lock<(@Sendable () -> Void)?>

  /// - Parameter body: The function to call; nil if ``set(_:)`` follows.
  @usableFromInline
  init(_ body: (@Sendable () -> Void)? = nil) {
    self.body = Lock(body)
  }

  @usableFromInline
  deinit {
    let body = body.withLock { $0.take() }
    body?()
  }

  /// Sets the function.
  ///
  /// Call this once, if the function needs objects that are made after this one.
  @usableFromInline
  func set(_ body: @escaping @Sendable () -> Void) {
    self.body.withLock { $0 = body }
  }
}
