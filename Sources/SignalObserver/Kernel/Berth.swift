import Dispatch

/// Something that payloads wait for in a lane: in this library, a ``SignalObserver``.
@usableFromInline
protocol LaneMember: AnyObject, Sendable {
  /// Nil if it never waits.
  ///
  /// The member owns it.
  var berthReference: Unmanaged<Berth>? { get }
  var isActive: Bool { get }
  /// No drain uses it, or will.
  ///
  /// Called without a lock, and perhaps more than once.
  func becameIdle()
}

extension LaneMember {
  var berth: Berth? { unsafe berthReference?.takeUnretainedValue() }

  /// Of a member that waits.
  var payloadType: PayloadType {
    unsafe berthReference.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.type }
  }
}

/// The fields of one member that its lane uses.
///
/// `@unchecked Sendable`: the lane's lock guards the variables, and the flags of the connection
/// guard `body`.
@safe
@usableFromInline
final class Berth: @unchecked Sendable {
  /// Nothing was pending yet.
  static var none: Int { -1 }
  /// The pending payloads were taken out, or moved.
  static var unknown: Int { -3 }

  let type: PayloadType
  /// Whether the member always waits for its turn, because it was connected with a queue.
  let alwaysWaits: Bool
  /// Whether an asynchronous body belongs to the target.
  let isTargets: Bool

  // MARK: - State
  //
  // Unchecked: the lock keeps accesses apart, and checking each would cost a delivery more than the
  // rest of it.

  /// The queue that the lane's drains run on, held until the member ends.
  @exclusivity(unchecked) var queue: DispatchQueue?
  /// The body of an asynchronous member, which is awaited.
  @exclusivity(unchecked) var body: AsyncBody?
  /// The offset of the newest run of the member in the backlog, whether or not it is still there.
  @exclusivity(unchecked) var last = Berth.none
  @exclusivity(unchecked) var bound: Bound?
  @exclusivity(unchecked) var isClosed = false
  /// Told when the member's observer is resumed.
  @exclusivity(unchecked) var resumed: (any Resumable)?

  init(
    _ type: PayloadType, queue: DispatchQueue?, body: AsyncBody?,
    alwaysWaits: Bool, isTargets: Bool, buffering: SignalBuffering
  ) {
    self.type = type
    unsafe self.queue = queue
    unsafe self.body = body
    self.alwaysWaits = alwaysWaits
    self.isTargets = isTargets
    unsafe bound = Bound(buffering)
  }
}

/// How many payloads of one member may wait, and where those are that do.
struct Bound {
  let limit: Int
  let keepsOldest: Bool
  /// Payloads that were not kept.
  var dropped = 0
  /// From the oldest; those that a drain has taken are forgotten later.
  private var offsets: [Int] = []
  private var first = 0

  init?(_ buffering: SignalBuffering) {
    if buffering == .unbounded { return nil }
    limit = buffering.limit
    keepsOldest = buffering.keepsOldest
  }

  /// How many wait at `head` or behind.
  mutating func count(from head: Int) -> Int {
    while first < offsets.count, offsets[first] < head { first += 1 }
    if first > 32, first * 2 > offsets.count {
      offsets.removeFirst(first)
      first = 0
    }
    return offsets.count - first
  }

  mutating func append(_ offset: Int) { offsets.append(offset) }

  mutating func removeFirst() -> Int {
    defer { first += 1 }
    return offsets[first]
  }

  mutating func removeAll() { (offsets, first) = ([], 0) }
}

/// Something that has to catch up when its observer is resumed.
protocol Resumable: AnyObject, Sendable {
  func resume()
}

@unsafe
@usableFromInline
typealias AsyncBody = @Sendable (AnyObject?, UnsafeRawPointer) async -> Void
