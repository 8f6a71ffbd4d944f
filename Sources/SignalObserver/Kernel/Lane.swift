import Dispatch
import Synchronization

/// The pending payloads of one place: a queue, the main queue, an actor, or one slot that is a
/// place by itself.
///
/// A state machine that calls nobody: each operation takes the lock once and returns the next step.
/// `Drain.swift` takes it.
///
/// - Payloads are delivered in the order in which they were added, across slots and signals
///   (guarantee 18).
/// - One drain delivers at a time, a segment of at most 128 payloads; then other work of the place
///   has its turn (guarantee 14). If the segment is the last one, the drain clears `isScheduled`
///   when it takes it. After delivering it, the drain need not look for more: the thread that adds
///   a payload meanwhile schedules the next drain. On a concurrent queue, the next drain may begin
///   before this one has ended. The next one then ends at once, and this one comes again.
/// - In a flood, a drain on a queue looks again after the last segment, within the same 128, as a
///   *guest*: the next drain is scheduled all the same, at its place among the other work.
/// - The pending payloads of a member go when it ends, but for the segment that a drain has taken
///   (guarantee 4).
///
/// `@unchecked Sendable`: the state is guarded by the lock; `actor` is never written after `init`,
/// and loading it is atomic.
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

  let place: Place
  /// Weak: an actor that connects one of its own objects would otherwise be kept alive by a signal
  /// that it may own.
  private(set) weak var actor: (any Actor)?
  let hasActor: Bool
  /// Whether a drain that keeps up is running.
  ///
  /// Such a drain finds dead targets itself. Relaxed: it says when looking at a target can be left
  /// out.
  private let isMoving = Atomic<Bool>(false)
  private let state: Lock<LaneState<Member>>

  init(_ place: Place, _ actor: (any Actor)? = nil) {
    self.place = place
    self.actor = actor
    hasActor = actor != nil
    // A task keeps a payload until its call returns, so it takes one at a time.
    unsafe state = Lock(LaneState(limit: place == .task ? 1 : Segment.limit))
  }

  deinit {
    // A member in the backlog holds the lane, so there is none.
    unsafe state.withLock { unsafe $0.backlog.blocks.free() }
  }

  // MARK: - Adding

  /// Adds one payload.
  @inline(__always)
  func add(
    _ member: Member, _ berth: Berth, _ address: UnsafeRawPointer, isHere: Bool
  ) -> Added {
    unsafe add { state, added in
      unsafe state.add(member, berth, address, isHere: isHere, &added)
    }
  }

  /// Adds payloads under one lock.
  @inline(__always)
  func add(_ body: (inout LaneState<Member>, inout Added) -> Void) -> Added {
    unsafe state.withLock { state in
      var added = unsafe Added()
      unsafe body(&state, &added)
      // More than a drain delivers at a time: it is stuck, or far behind.
      if unsafe state.added > 256 { isMoving.store(false, ordering: .relaxed) }
      unsafe state.schedule(&added)
      return unsafe added
    }
  }

  /// Has `note` released when the payloads that wait for the member now have been delivered, or
  /// will not be.
  ///
  /// Returns nil, and makes none, if nothing waits.
  func add(
    note: @autoclosure () -> AnyObject, after member: Member, _ berth: Berth
  ) -> Added? {
    unsafe state.withLock { unsafe $0.add(note: note, after: member, berth) }
  }

  /// Whether a payload for the member, emitted where the lane's drains run, overtakes no pending
  /// payload that it must come after (guarantee 13).
  func mayRunAtOnce(_ berth: Berth) -> Bool {
    let record = unsafe DrainRecord<Member>.innermost(of: ObjectIdentifier(self))
    return unsafe state.withLock { unsafe $0.mayRunAtOnce(berth, record?.pointee.hand) }
  }

  /// Whether an emission should look whether targets are alive, since the drain may not come to it.
  var mustLook: Bool {
    @inline(__always) get { !isMoving.load(ordering: .relaxed) }
  }

  // MARK: - Draining

  /// Takes the next segment.
  ///
  /// - Parameters:
  ///   - room: How many payloads there may be.
  ///   - staysScheduled: Whether the drain comes again in any case.
  ///   - isGuest: Whether the drain only looks again, and another one comes for all that it leaves.
  /// - Returns: A segment, or why there is none.
  func begin(
    room: Int = Segment.limit, staysScheduled: Bool = false, isGuest: Bool = false
  ) -> Begun<Member> {
    unsafe state.withLock { state in
      let begun = unsafe state.begin(room: room, staysScheduled: staysScheduled, isGuest: isGuest)
      if case .segment = unsafe begun {
        isMoving.store(true, ordering: .relaxed)
      } else {
        isMoving.store(false, ordering: .relaxed)
      }
      return unsafe begun
    }
  }

  /// Gives a delivered segment back; returns whether the drain must come again.
  ///
  /// It may look again as a guest in any case, and then finds dead targets.
  func end(_ hand: Hand<Member>, looksAgain: Bool = false) -> Bool {
    let (ended, comesAgain) = unsafe state.withLock { state in
      if !looksAgain { isMoving.store(false, ordering: .relaxed) }
      return unsafe state.end(hand)
    }
    for member in ended { member.becameIdle() }
    return comesAgain
  }

  /// Keeps the task of a drain, to cancel it when its member ends; returns whether it has.
  func setTask(_ task: Task<Void, Never>, _ turn: Int, _ berth: Berth) -> Bool {
    unsafe state.withLock { unsafe $0.setTask(task, turn, berth) }
  }

  // MARK: - Ending

  /// Takes out all that waits for a member, which gets nothing any more.
  ///
  /// ``LaneMember/becameIdle()`` has then been called, or will be.
  func remove(_ member: Member, _ berth: Berth) {
    var queue: AnyObject?
    var resumed: (any Resumable)?
    let (dropped, isInHand, task) = unsafe state.withLock { state in
      let (dropped, isInHand, task) = unsafe state.remove(member, berth)
      unsafe (queue, berth.queue) = unsafe (berth.queue, nil)
      unsafe (resumed, berth.resumed) = unsafe (berth.resumed, nil)
      return unsafe (dropped, isInHand, task)
    }
    // After the lock.
    unsafe dropped.release()
    task?.cancel()
    withExtendedLifetime((queue, resumed)) {}
    if !isInHand || isUncalled(member) { member.becameIdle() }
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
