/// Holds `value` until here.
///
/// Said of what was taken out under a lock, which is so released after it: the release may run
/// anybody's `deinit` (guarantee 7). Said of what a closure captures, it is held for as long as the
/// closure.
@inlinable
@inline(__always)
func holdUntilHere<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

extension SignalSlot {
  /// Returns the same slot, which holds `token` until its connection has ended.
  @inlinable
  func holding(_ token: some AnyObject & Sendable) -> SignalSlot<Payload> {
    followed { holdUntilHere(token) }
  }
}
