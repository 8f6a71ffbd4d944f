/// Which payloads to keep while their receiver is busy.
///
/// ``SignalSource/buffering(_:)`` takes it for slots, and ``SignalSource/values(buffering:)`` for
/// asynchronous sequences. Both stop the program if the count is not positive. Choose `.newest(1)`
/// if only the latest payload matters, such as for a progress bar.
public enum SignalBuffering: Sendable, Hashable {
  /// Keeps every payload.
  ///
  /// If the receiver stays slower than the emitter, memory grows without limit.
  case unbounded
  /// Keeps the oldest payloads, up to this number. While they wait, each new payload is dropped.
  case oldest(Int)
  /// Keeps the newest payloads, up to this number. A new payload displaces the oldest one.
  case newest(Int)

  /// The number of payloads for which there is room.
  var limit: Int {
    switch self {
    case .unbounded: Int.max
    case .oldest(let count), .newest(let count): count
    }
  }

  /// Whether a full buffer keeps its oldest payloads.
  var keepsOldest: Bool {
    if case .newest = self { false } else { true }
  }

  /// The same choice; stops the program if there is no room for a payload.
  @usableFromInline
  var checked: Self {
    precondition(limit > 0, "a buffer takes a limit of at least 1")
    return self
  }
}
