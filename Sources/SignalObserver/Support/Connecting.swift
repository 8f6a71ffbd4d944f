import CSignalObserver

/// One call that connects a slot: the identity of what is delivered to that slot because of it.
///
/// A value or a replay may have to deliver later, on another thread, and an operator of time waits
/// for a clock. Each then holds this object.
@usableFromInline
final class Connecting: Sendable {
  /// The call for which this thread delivers.
  static var current: Connecting? {
    unsafe signal_observer_get_connecting().map {
      unsafe Unmanaged<Connecting>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @usableFromInline
  func during<Result>(_ body: () -> Result) -> Result {
    let outer = unsafe signal_observer_get_connecting()
    unsafe signal_observer_set_connecting(Unmanaged.passUnretained(self).toOpaque())
    defer {
      unsafe signal_observer_set_connecting(outer)
      holdUntilHere(self)
    }
    return body()
  }
}

extension Cause {
  /// Delivers what a source has, for the call that connects a slot, if there is one.
  @inlinable
  func deliver(_ body: () -> Void) {
    if let call { call.during(body) } else { body() }
  }
}
