/// The choice of payloads that are kept while the receiver is busy.
///
/// Said of the asynchronous sequences of ``SignalSource/values(buffering:)``. There is room for one
/// payload at least: a count that is not positive stops the program where the buffer is asked for.
public enum SignalBuffering: Sendable, Hashable {
  /// Everything.
  ///
  /// A receiver that is slower than the signal for ever needs memory without limit.
  case unbounded
  /// The first `count` payloads; payloads that come while they wait are dropped.
  case oldest(Int)
  /// The last `count` payloads; the oldest makes way for a new one.
  case newest(Int)

  /// How many payloads there is room for.
  var limit: Int {
    switch self {
    case .unbounded: Int.max
    case .oldest(let count), .newest(let count): count
    }
  }

  /// Whether the oldest stay when the buffer is full.
  var keepsOldest: Bool {
    if case .newest = self { false } else { true }
  }

  /// The same, or the end of the program if there is no room.
  @usableFromInline
  var checked: Self {
    precondition(limit > 0, "a buffer has room for one payload at least")
    return self
  }
}
