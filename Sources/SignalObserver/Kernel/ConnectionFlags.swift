import Synchronization

/// The state of a connection, in one byte.
struct ConnectionFlags: ~Copyable {
  private static var cancelled: UInt8 { 1 }
  private static var suspended: UInt8 { 2 }
  /// No emission calls the slot, or will.
  static var unseen: UInt8 { 4 }
  /// No drain calls the slot, or will.
  static var idle: UInt8 { 8 }
  /// Only the code that uses the signal may release the slot's function, which need not be
  /// `Sendable`.
  private static var confined: UInt8 { 16 }
  /// All code that uses the signal is on the main actor.
  private static var onMain: UInt8 { 32 }

  /// Read before each call of the slot, relaxed: a call that begins after `cancel()` has returned
  /// sees the flag, since the program has ordered the two; one that had begun may go on (guarantee
  /// 4).
  private let bits: Atomic<UInt8>

  init(_ delivery: Delivery, waits: Bool) {
    let domain =
      switch delivery {
      case .confined(let onMain): Self.confined | (onMain ? Self.onMain : 0)
      case .inline, .queue, .main, .actor, .target: UInt8(0)
      }
    bits = Atomic((waits ? 0 : Self.idle) | domain)
  }

  private var relaxed: UInt8 {
    @inline(__always) get { bits.load(ordering: .relaxed) }
  }

  /// What one look has found.
  struct Look {
    fileprivate let bits: UInt8

    /// Whether the slot may be called: neither cancelled nor suspended.
    var isActive: Bool {
      @inline(__always) get { bits & (ConnectionFlags.suspended | ConnectionFlags.cancelled) == 0 }
    }

    var isEnded: Bool {
      @inline(__always) get { bits & ConnectionFlags.cancelled != 0 }
    }
  }

  var look: Look {
    @inline(__always) get { Look(bits: relaxed) }
  }

  var isConfined: Bool { relaxed & Self.confined != 0 }

  var isSuspended: Bool {
    // ordering: nothing is reached by the flags
    bits.load(ordering: .acquiring) & (Self.suspended | Self.cancelled) == Self.suspended
  }

  func suspend() {
    // ordering: the flag is read relaxed, and nothing is reached by it
    bits.bitwiseOr(Self.suspended, ordering: .acquiringAndReleasing)
  }

  func resume() {
    // ordering: the flag is read relaxed, and nothing is reached by it
    bits.bitwiseAnd(~Self.suspended, ordering: .acquiringAndReleasing)
  }

  /// Ends the connection; returns whether the caller must take it out of its list and its lane.
  ///
  /// One caller must. A confined connection is taken out by the next code that uses the signal: one
  /// thread at a time does.
  func cancel(isInDomain: Bool = false) -> Bool {
    // ordering: the flag is read relaxed, and nothing is reached by it
    let before = bits.bitwiseOr(Self.cancelled, ordering: .acquiringAndReleasing).oldValue
    if before & Self.confined == 0 { return before & Self.cancelled == 0 }
    return isInDomain || before & Self.onMain != 0 && MainQueue.isCurrent
  }

  /// `side` is ``unseen`` or ``idle``; returns whether both are now, and one of them was not
  /// before.
  func letGo(_ side: UInt8) -> Bool {
    let before = bits.bitwiseOr(side, ordering: .acquiringAndReleasing).oldValue
    let both = Self.unseen | Self.idle
    return before & both != both && (before | side) & both == both
  }
}
