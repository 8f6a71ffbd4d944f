import Synchronization

/// The handle of one connection: suspends it, resumes it, ends it.
///
/// Every connect form returns one. Keeping it is optional: a dropped observer leaves the connection
/// in place, which ends with its target or its emitter. It may be used from any thread, from slots
/// and from `deinit`.
///
/// An observer holds neither the target nor the signal nor other slots, and of its own slot nothing
/// once the connection has ended (guarantee 9).
///
/// ```swift
/// let observer = player.scoreChanged.connect(label, Label.show)
/// observer.suspend()  // what is emitted now, the label does not see
/// observer.resume()
/// observer.cancel()
/// ```
///
/// `@unchecked Sendable`: `position` and `mailbox` are guarded by the list's lock, but for what
/// `connect` does before anybody else knows the observer.
public final class SignalObserver: @unchecked Sendable {
  private enum Flag {
    static let cancelled: UInt8 = 1
    static let suspended: UInt8 = 2
  }

  // MARK: - State

  /// Read before each call of the slot, relaxed: a call that begins after `cancel()` returned sees
  /// it because returning came before, by whatever orders the two; one that had begun may go on
  /// (guarantee 4).
  private let flags = Atomic<UInt8>(0)
  /// ``position``, in the four bytes beside `flags`; the largest number if there is none.
  private var storedPosition = UInt32.max
  /// The list of the signal.
  ///
  /// Strong, and no cycle for longer than the connection: ending takes the slot, which holds this
  /// observer, out of the list, and an emitter that dies ends them all.
  private let list: SlotList
  /// What holds the pending deliveries, unless the slot runs inline or the connection has ended.
  ///
  /// Guarded by the list's lock: whoever resumes may meet whoever cancels.
  var mailbox: Mailbox?

  init(_ list: SlotList) {
    self.list = list
  }

  /// The index of the slot in the list, while it is there; up to four billion.
  ///
  /// Guarded by the list's lock.
  var position: Int? {
    get { storedPosition == .max ? nil : Int(storedPosition) }
    set { storedPosition = newValue.map { UInt32($0) } ?? .max }
  }

  // MARK: - Ending

  /// Ends the connection.
  ///
  /// After this returns no new call of the slot begins, except one that another thread had already
  /// begun; called where the slot runs (its queue, its actor), there is no exception (guarantee 4).
  /// Pending deliveries are dropped. The slot's closure and captures are released before this
  /// returns, or when the calls and emissions that are using them do. It never waits, and calling
  /// it again does nothing.
  ///
  /// - Complexity: O(1), amortised.
  public func cancel() {
    let before = flags.bitwiseOr(Flag.cancelled, ordering: .acquiringAndReleasing).oldValue
    if before & Flag.cancelled != 0 { return }
    list.remove(self)
  }

  /// Whether the connection has ended: by ``cancel()``, because its target has died, or because the
  /// emitter is gone and what it had sent is delivered.
  public var isCancelled: Bool {
    if !isEnded { list.endIfTargetIsGone(self) }
    return isEnded
  }

  // MARK: - Pausing

  /// Drops what is emitted, and what comes due, until ``resume()`` (guarantee 11).
  ///
  /// Not counted: one `resume()` ends any number of `suspend()`. A call in progress is not
  /// interrupted.
  public func suspend() {
    flags.bitwiseOr(Flag.suspended, ordering: .acquiringAndReleasing)
  }

  /// Lets the slot be called again, by what is emitted from now on and by what was emitted before
  /// and has not come due.
  ///
  /// Nothing is replayed. On an observer that is not suspended, or is cancelled, this does nothing.
  public func resume() {
    flags.bitwiseAnd(~Flag.suspended, ordering: .acquiringAndReleasing)
    list.mailbox(of: self)?.resume()
  }

  /// Whether the connection exists and is suspended.
  public var isSuspended: Bool { flags.load(ordering: .acquiring) == Flag.suspended }

  // MARK: - What slots ask

  /// Whether the slot may be called: neither cancelled nor suspended.
  @inline(__always)
  @usableFromInline
  var isActive: Bool { flags.load(ordering: .relaxed) == 0 }

  @inline(__always)
  var isEnded: Bool { flags.load(ordering: .relaxed) & Flag.cancelled != 0 }
}

extension SignalObserver: Hashable {
  /// Two observers are equal if they are the handle of the same connection.
  public static func == (left: SignalObserver, right: SignalObserver) -> Bool { left === right }

  /// Hashes the identity of the connection.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
