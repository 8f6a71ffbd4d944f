/// Calls a function when it is released.
///
/// Captured by a slot, it tells that the connection has ended (guarantee 9).
@usableFromInline
final class Finally: Sendable {
  private let body: Lock<(@Sendable () -> Void)?>

  /// - Parameter body: What to call; nil if ``set(_:)`` follows.
  @usableFromInline
  init(_ body: (@Sendable () -> Void)? = nil) {
    self.body = Lock(body)
  }

  @usableFromInline
  deinit {
    let body = body.withLock { $0.take() }
    body?()
  }

  /// Sets what to call, once, where that needs what was made after this.
  func set(_ body: @escaping @Sendable () -> Void) {
    self.body.withLock { $0 = body }
  }
}
