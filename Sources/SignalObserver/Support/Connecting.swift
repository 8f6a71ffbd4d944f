import CSignalObserver

/// One call that connects a slot: the identity of what is delivered to that slot because of it.
///
/// A value or a replay may have to deliver later, on another thread, and an operator of time waits
/// for a clock. Each then holds this object.
@usableFromInline
final class Connecting: Sendable {
  /// The call for which this thread delivers.
  static var current: Connecting? {
    unsafe signal_observer_this_thread().pointee.connecting.map {
      unsafe Unmanaged<Connecting>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @usableFromInline
  func during<Result>(_ body: () -> Result) -> Result {
    let outer = unsafe signal_observer_this_thread().pointee.connecting
    unsafe signal_observer_this_thread().pointee.connecting = Unmanaged.passUnretained(self).toOpaque()
    defer {
      unsafe signal_observer_this_thread().pointee.connecting = outer
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
