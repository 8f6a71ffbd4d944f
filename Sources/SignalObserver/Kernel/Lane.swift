import Dispatch
import Synchronization

/// What waits for one place: a queue, the main queue, an actor, or one slot that is a place by itself.
///
/// A state machine that calls nobody: each operation takes the lock once and returns what to do next. ``Drain``
/// does it.
///
/// - What waits is delivered in the order in which it was added, whatever slot and signal it is of
///   (guarantee 18).
/// - One drain delivers at a time, a segment of at most 128 payloads; then other work of the place has
///   its turn (guarantee 14). It gives `isScheduled` back together with taking the segment, and does not look
///   again when that is delivered: in a flood, it would find one payload at a time, and two threads would take
///   the lock from each other at each. Who adds a payload meanwhile schedules the next drain. On a concurrent queue that may begin
///   before this one has ended: it then ends at once, and this one comes again.
/// - A member that ends takes with it what waits, but for the segment that a drain has taken (guarantee 4).
///
/// `@unchecked Sendable`: the state is guarded by the lock; `actor` is never written after `init`, and loading it is
/// atomic.
@safe
@usableFromInline
final class Lane<Member: LaneMember>: @unchecked Sendable {
  enum Place: Equatable {
    case queue
    case main
    case actor(ObjectIdentifier)
    /// A task; the place of one asynchronous member, which is awaited on its actor, if it has one.
    case task
  }

  // MARK: - State

  @unsafe
  private struct State {
    var backlog: Backlog<Member>
    /// Whether a drain is on its way, or has more to do when its segment is delivered.
    var isScheduled = false
    /// The places of the segment that a drain is delivering.
    var inHand: Range<Int>?
    /// Whether another drain has begun meanwhile.
    var comesAgain = false
    /// What was added since the last drain began.
    var added = 0
    /// Members that have ended while a drain had payloads of theirs in hand.
    var ended: [Member] = []
    /// The task that runs the current drain of an asynchronous member.
    var task: Task<Void, Never>?
  }

  private let state: Lock<State>
  /// Whether the drain gets on, so that it notices itself when targets die.
  ///
  /// Relaxed: it says when looking at a target can be left out.
  private let isMoving = Atomic<Bool>(false)
  let place: Place
  /// Weak: an actor that connects one of its own objects would otherwise be kept alive by a signal
  /// that it may own.
  private(set) weak var actor: (any Actor)?
  let hasActor: Bool

  init(_ place: Place, _ actor: (any Actor)? = nil) {
    self.place = place
    self.actor = actor
    hasActor = actor != nil
    // A task keeps what it awaits for as long as that takes, so it takes one at a time.
    let limit = place == .task ? 1 : Segment.limit
    unsafe state = Lock(State(backlog: Backlog(limit: limit)))
  }

  deinit {
    // Who is in the backlog holds the lane.
    unsafe state.withLock { unsafe $0.backlog.free() }
  }

  // MARK: - Adding

  /// What a run of additions has come to.
  @unsafe
  struct Added {
    var mustSchedule = false
    /// Where, if that is a queue: held by whom it waits for until they end.
    var queue: DispatchQueue?
    var dropped: [Dropped] = unsafe []

    /// After the lock.
    consuming func release() {
      unsafe dropped.forEach { unsafe $0.release() }
    }
  }

  /// Adds payloads under one lock: `body` is given what adds one.
  @inline(__always)
  func add(
    _ body: ((Member, Berth, UnsafeRawPointer, Bool) -> Void) -> Void
  ) -> Added {
    unsafe state.withLock { state in
      var added = unsafe Added()
      unsafe body { member, berth, address, isHere in
        if unsafe berth.isClosed { return }
        if unsafe !Self.makeRoom(berth, &state, &added) { return }
        unsafe state.backlog.append(member, berth, address, isHere: isHere)
        unsafe state.added += 1
        if unsafe !state.isScheduled { unsafe added.queue = berth.queue }
      }
      // More than a drain delivers at a time: it is stuck, or far behind.
      if unsafe state.added > 256 { isMoving.store(false, ordering: .relaxed) }
      if unsafe !state.isScheduled, unsafe !state.backlog.isEmpty {
        unsafe state.isScheduled = true
        unsafe added.mustSchedule = true
      }
      return unsafe added
    }
  }

  private static func makeRoom(
    _ berth: Berth, _ state: inout State, _ added: inout Added
  ) -> Bool {
    guard let limit = unsafe berth.bound?.limit,
      let count = unsafe berth.bound?.count(from: state.backlog.head), count >= limit
    else { return true }
    unsafe berth.bound?.dropped += 1
    if unsafe berth.bound?.keepsOldest == true { return false }
    unsafe added.dropped.append(state.backlog.takeOldest(berth))
    return true
  }

  /// Has `note` released when what waits of the member now has been delivered, or will not be.
  ///
  /// Returns nil if nothing waits.
  func add(note: AnyObject, after member: Member, _ berth: Berth) -> Added? {
    unsafe state.withLock { state in
      let first = unsafe state.inHand?.lowerBound ?? state.backlog.head
      guard unsafe !berth.isClosed, unsafe berth.last >= first else { return nil }
      unsafe state.backlog.append(note: note, member, berth)
      var added = unsafe Added()
      unsafe added.mustSchedule = unsafe !state.isScheduled
      unsafe added.queue = berth.queue
      unsafe state.isScheduled = true
      return unsafe added
    }
  }

  /// Whether nothing waits that a payload for the member, emitted where the lane's drains run, must come
  /// after (guarantee 13).
  func mayRunAtOnce(_ berth: Berth) -> Bool {
    unsafe state.withLock { state in
      if unsafe berth.isClosed || state.backlog.here > 0 || state.backlog.isPending(berth) {
        return false
      }
      if unsafe state.inHand == nil { return true }
      // On the place of the drain that is inside of it; what is being called does not wait.
      guard
        let hand = unsafe DrainRecord<Member>.innermost(of: ObjectIdentifier(self))?.pointee.hand
      else { return false }
      let isPending = unsafe hand.pointee.isPending(berth)
      return unsafe !isPending && hand.pointee.here == 0
    }
  }

  /// Whether an emission should look whether targets are alive, since the drain may not come to it.
  var mustLook: Bool {
    @inline(__always) get { !isMoving.load(ordering: .relaxed) }
  }

  // MARK: - Draining

  /// Takes what is to be delivered next.
  ///
  /// - Parameters:
  ///   - room: How many payloads there may be.
  ///   - staysScheduled: Whether the drain comes again in any case.
  /// - Returns: Nil if there is nothing, or another drain is at it.
  func begin(room: Int = Segment.limit, staysScheduled: Bool = false) -> Hand<Member>? {
    unsafe state.withLock { state in
      if unsafe state.inHand != nil {
        unsafe state.comesAgain = true
        return nil
      }
      if unsafe state.backlog.nextCount > room { return nil }
      guard var hand = unsafe state.backlog.take() else {
        unsafe state.isScheduled = false
        unsafe state.task = nil
        return nil
      }
      unsafe state.inHand = unsafe hand.places
      unsafe hand.comesAgain = unsafe staysScheduled || !state.backlog.isEmpty
      unsafe state.isScheduled = unsafe hand.comesAgain
      unsafe state.added = 0
      isMoving.store(true, ordering: .relaxed)
      return unsafe hand
    }
  }

  /// Gives back what has been delivered; returns whether the drain must come again.
  func end(_ hand: Hand<Member>) -> Bool {
    let (ended, comesAgain) = unsafe state.withLock { state -> ([Member], Bool) in
      unsafe state.inHand = nil
      unsafe state.backlog.giveBack(hand)
      isMoving.store(false, ordering: .relaxed)
      var ended: [Member] = []
      unsafe swap(&ended, &state.ended)
      let comesAgain = unsafe hand.comesAgain || state.comesAgain
      unsafe state.comesAgain = false
      if comesAgain { unsafe state.isScheduled = true }
      return (ended, comesAgain)
    }
    for member in ended { member.becameIdle() }
    return comesAgain
  }

  /// Keeps the task of a drain, to cancel it when its member ends; returns whether it has.
  func setTask(_ task: Task<Void, Never>, _ berth: Berth) -> Bool {
    unsafe state.withLock { state in
      // It may be over already.
      if unsafe state.isScheduled { unsafe state.task = task }
      return unsafe berth.isClosed
    }
  }

  // MARK: - Ending

  /// Takes out all that waits for a member, which gets nothing any more.
  ///
  /// ``LaneMember/becameIdle()`` has then been called, or will be.
  func remove(_ member: Member, _ berth: Berth) {
    var queue: AnyObject?
    var resumed: (any Resumable)?
    let (dropped, task, isIdle) = unsafe state.withLock {
      state -> (Dropped, Task<Void, Never>?, Bool) in
      let isInHand = unsafe state.inHand.map { unsafe berth.last >= $0.lowerBound } ?? false
      let dropped = unsafe state.backlog.takeOut(berth)
      unsafe berth.isClosed = true
      unsafe (queue, berth.queue) = unsafe (berth.queue, nil)
      unsafe (resumed, berth.resumed) = unsafe (berth.resumed, nil)
      if isInHand { unsafe state.ended.append(member) }
      return unsafe (dropped, state.task.take(), !isInHand || isUncalled(member))
    }
    // After the lock.
    unsafe dropped.release()
    task?.cancel()
    withExtendedLifetime((queue, resumed)) {}
    if isIdle { member.becameIdle() }
  }

  /// Whether the drain in progress is the calling thread's, and is calling another member.
  private func isUncalled(_ member: Member) -> Bool {
    guard let record = unsafe DrainRecord<Member>.innermost(of: ObjectIdentifier(self)) else {
      return false
    }
    return unsafe record.pointee.calling != Unmanaged.passUnretained(member).toOpaque()
  }

  // MARK: - Resuming

  /// Holds `object`, to tell it when the member's observer is resumed; nil to let go of it.
  func setResumed(_ object: (any Resumable)?, _ berth: Berth) {
    var old = object
    unsafe state.withLock { _ in
      if unsafe !berth.isClosed { unsafe swap(&berth.resumed, &old) }
    }
    withExtendedLifetime(old) {}
  }

  func resumed(_ berth: Berth) -> (any Resumable)? {
    unsafe state.withLock { _ in unsafe berth.resumed }
  }

  // MARK: - Looking

  /// Without those that a drain has in hand.
  func counts(_ berth: Berth) -> (pending: Int, dropped: Int) {
    unsafe state.withLock { state in
      unsafe (state.backlog.count(berth), berth.bound?.dropped ?? 0)
    }
  }

  /// Whether a drain is on its way, or in progress with more to do.
  var isScheduled: Bool { unsafe state.withLock { unsafe $0.isScheduled } }

  func queueLabel(_ berth: Berth) -> String? {
    let queue = unsafe state.withLock { _ in unsafe berth.queue }
    return queue?.label
  }
}
