import Dispatch

/// The state that the lock of a ``Lane`` guards, as a value.
///
/// It calls nobody, and returns the work that must be done after the lock.
@unsafe
struct LaneState<Member: LaneMember> {
  /// Whether a drain is on its way, or has more to do when its segment is delivered.
  var isScheduled = false
  /// The number of payloads added since the last drain began.
  private(set) var added = 0
  var backlog: Backlog<Member>
  /// The offsets of the segment that a drain is delivering.
  private var inHand: Range<Int>?
  /// Whether another drain has begun meanwhile.
  private var comesAgain = false
  /// Members that have ended while a drain had payloads of theirs in hand.
  private var ended: [Member] = []
  /// The task that runs the current drain of an asynchronous member.
  private var task: Task<Void, Never>?
  /// How often a drain was scheduled.
  private var turn = 0

  init(limit: Int) {
    unsafe backlog = Backlog(limit: limit)
  }

  // MARK: - Adding

  /// Adds a payload, unless the member has ended, or keeps its oldest and has no room.
  @inline(__always)
  mutating func add(
    _ member: Member, _ berth: Berth, _ address: UnsafeRawPointer, isHere: Bool,
    _ result: inout Added
  ) {
    if unsafe berth.isClosed { return }
    if unsafe berth.bound != nil, unsafe !makeRoom(berth, &result) { return }
    unsafe backlog.append(member, berth, address, isHere: isHere)
    unsafe added &+= 1
    if unsafe !isScheduled { unsafe result.queue = berth.queue }
  }

  @inline(never)
  private mutating func makeRoom(_ berth: Berth, _ result: inout Added) -> Bool {
    guard let limit = unsafe berth.bound?.limit,
      let count = unsafe berth.bound?.count(from: backlog.head), count >= limit
    else { return true }
    unsafe berth.bound?.dropped += 1
    if unsafe berth.bound?.keepsOldest == true { return false }
    unsafe result.dropped = unsafe (result.dropped ?? []) + [backlog.takeOldest(berth)]
    return true
  }

  /// Adds an object behind the pending payloads of the member, if there are any.
  mutating func add(note: () -> AnyObject, after member: Member, _ berth: Berth) -> Added? {
    let first = unsafe inHand?.lowerBound ?? backlog.head
    guard unsafe !berth.isClosed, unsafe berth.last >= first else { return nil }
    unsafe backlog.append(note: note(), member, berth)
    var result = unsafe Added()
    unsafe result.queue = berth.queue
    unsafe schedule(&result)
    return unsafe result
  }

  /// Has a drain come if something waits and none is on its way.
  @inline(__always)
  mutating func schedule(_ result: inout Added) {
    if unsafe !isScheduled, unsafe !backlog.isEmpty {
      unsafe isScheduled = true
      unsafe turn &+= 1
      unsafe result.mustSchedule = true
      unsafe result.turn = unsafe turn
    }
  }

  /// Whether nothing waits that a payload for the member must come after (guarantee 13); `hand` is
  /// of the calling thread's own drain of the lane, if it is in one.
  func mayRunAtOnce(_ berth: Berth, _ hand: UnsafeMutablePointer<Hand<Member>>?) -> Bool {
    if unsafe berth.isClosed || backlog.here > 0 || backlog.isPending(berth) { return false }
    if unsafe inHand == nil { return true }
    guard let hand = unsafe hand else { return false }
    // The payload that the drain is delivering does not wait.
    let isPending = unsafe hand.pointee.isPending(berth)
    return unsafe !isPending && hand.pointee.here == 0
  }

  // MARK: - Draining

  mutating func begin(room: Int, staysScheduled: Bool, isGuest: Bool) -> Begun<Member> {
    if unsafe inHand != nil {
      unsafe comesAgain = true
      return unsafe .nothing
    }
    if unsafe backlog.nextCount > room { return unsafe .noRoom }
    guard var hand = unsafe backlog.take() else {
      if !isGuest {
        unsafe isScheduled = false
        unsafe task = nil
      }
      return unsafe .nothing
    }
    unsafe inHand = unsafe hand.offsets
    unsafe hand.isLast = unsafe backlog.isEmpty
    if !isGuest {
      unsafe hand.comesAgain = unsafe staysScheduled || !hand.isLast
      unsafe isScheduled = unsafe hand.comesAgain
    }
    unsafe added = 0
    return unsafe .segment(hand)
  }

  /// Keeps the task of a drain, to cancel it when its member ends; returns whether it has.
  mutating func setTask(_ task: Task<Void, Never>, _ turn: Int, _ berth: Berth) -> Bool {
    // It may be over already, and another one have begun.
    if unsafe isScheduled, unsafe turn == self.turn { unsafe self.task = task }
    return unsafe berth.isClosed
  }

  /// Returns the members that ended meanwhile, and whether the drain must come again.
  mutating func end(_ hand: Hand<Member>) -> ([Member], Bool) {
    unsafe inHand = nil
    unsafe backlog.giveBack(hand)
    var ended: [Member] = []
    unsafe swap(&ended, &self.ended)
    let comesAgain = unsafe hand.comesAgain || comesAgain
    unsafe self.comesAgain = false
    if comesAgain { unsafe isScheduled = true }
    return (ended, comesAgain)
  }

  // MARK: - Ending

  private func mayBeInHand(_ berth: Berth) -> Bool {
    guard let inHand = unsafe inHand else { return false }
    let taken = unsafe backlog.forEachRun(berth) { _, _ in }
    return taken == Berth.unknown || taken >= inHand.lowerBound
  }

  /// Takes out the pending payloads of a member; nothing is added for it any more.
  ///
  /// Returns also whether a drain has payloads of the member in hand.
  mutating func remove(
    _ member: Member, _ berth: Berth
  ) -> (Dropped, isInHand: Bool, Task<Void, Never>?) {
    let isInHand = unsafe mayBeInHand(berth)
    let dropped = unsafe backlog.takeOut(berth)
    unsafe berth.isClosed = true
    if isInHand { unsafe ended.append(member) }
    return unsafe (dropped, isInHand, task.take())
  }
}

/// The answer to a drain that begins.
@unsafe
enum Begun<Member: LaneMember> {
  case segment(Hand<Member>)
  /// More than it may deliver before other work has its turn.
  case noRoom
  /// Nothing, or another drain is at it.
  case nothing
}

/// The work that adding leaves for after the lock.
@unsafe
struct Added {
  var mustSchedule = false
  /// Of the drain that must be scheduled.
  var turn = 0
  /// The queue to drain on, if it is one; the berth of a member holds it until that ends.
  var queue: DispatchQueue?
  var dropped: [Dropped]?

  /// After the lock.
  @inline(__always)
  consuming func release() {
    if let dropped = unsafe dropped { unsafe dropped.forEach { unsafe $0.release() } }
  }
}
