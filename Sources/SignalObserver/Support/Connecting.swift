import CSignalObserver

/// One call that connects a slot, while what the source has is delivered to that slot.
///
/// A value or a replay may have to deliver later, on another thread, which then holds this object.
/// An operator of time delivers when its clock says so, and holds only the mark.
@usableFromInline
final class Connecting: Sendable {
  /// The identity of the call.
  final class Mark: Sendable {}

  let mark: Mark
  private let onEnd: @Sendable () -> Void

  /// - Parameters:
  ///   - mark: The identity of the call.
  ///   - onEnd: A function to call when everything has been delivered, except for deliveries that
  ///     wait for a clock.
  init(_ mark: Mark = Mark(), _ onEnd: @escaping @Sendable () -> Void = {}) {
    self.mark = mark
    self.onEnd = onEnd
  }

  deinit { onEnd() }

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
  /// The cause of what has taken `path`, and may be delivered to a slot that is being connected.
  @usableFromInline
  static func connecting(after path: Path? = nil, _ stamp: UInt64 = 0) -> Cause {
    .path(Connecting.current.map { Path(nil, path, $0) } ?? path, stamp)
  }

  /// The same cause, for a delivery that waits for a clock.
  ///
  /// `onEnd` does not wait for it.
  @usableFromInline
  var delayed: Cause {
    guard case .path(let path?, let stamp) = self, let connecting = path.connecting else {
      return self
    }
    return .path(Path(nil, path.lists, Connecting(connecting.mark)), stamp)
  }

  /// Delivers what a source has to a slot that is being connected.
  @inlinable
  func deliver(_ body: () -> Void) {
    if case .path(let path?, _) = self, let connecting = path.connecting {
      connecting.during(body)
    } else {
      body()
    }
  }
}
