// The handle is the connection itself:
//
//     ConnectionList ──▶ SignalObserver ──▶ ConnectionList   (until the connection ends)
//                           │  │  └──▶ Mailbox ──▶ Line ◀── the queue
//                           │  │                    └──▶ SignalObserver (while it has turns)
//                           │  └──▶ Slot   (until the end, and the last call)
//                           └╌╌weak╌╌▶ target

/// The handle of one connection, which can suspend it, resume it and end it.
///
/// Every connect form returns one. You may drop it: the connection stays, and ends with its target
/// or its emitter. It may be used from any thread, from slots and from `deinit`.
///
/// It keeps neither the target nor the signal nor other slots alive. Once the connection has ended,
/// it holds nothing of its own slot either ([guarantee 9](doc:Guarantees)). For an example, see
/// ``suspend()``.
///
/// `@unchecked Sendable`: see the state below. The slot is as `Sendable` as the connect form asks.
@safe
public final class SignalObserver: @unchecked Sendable {
  /// Four flags, and the number of calls in progress.
  ///
  /// A call counts itself in before it begins, and out when it has returned. The thread that ends
  /// the connection counts itself in while it does so. Once the flag of the end is set, no call
  /// counts itself in. So the count then reaches zero once, and whoever lowers it to zero releases
  /// the slot.
  @usableFromInline let word = Atomic(0)
  @inlinable static var suspended: Int { 1 }
  @inlinable static var ended: Int { 2 }
  /// Whether the connection is confined, and was cancelled outside the domain of its signal: no
  /// call begins, and the domain will end it.
  @inlinable static var cancelledElsewhere: Int { 4 }
  /// Either of them: no call begins.
  @inlinable static var over: Int { ended | cancelledElsewhere }
  /// Whether a trace records the connection.
  @inlinable static var traced: Int { 8 }
  private static var oneCall: Int { 16 }

  /// What waits for the slot, which this owns; nil if the slot runs inline.
  let mailboxReference: Uncounted<Mailbox>?
  /// The slot, which this owns; nil once it is released.
  ///
  /// Guarded by the count of calls.
  private var slot: Uncounted<Slot>?
  // Weak: strong would keep the target alive for as long as the signal (guarantee 8), and unowned
  // would crash. Never written after `init` (some compilers refuse `weak let`). Loading is atomic.
  private weak var weakTarget: AnyObject?
  /// The address of the target; nil if there was none.
  ///
  /// Nobody uses it as a reference. The connection does not keep the address taken: once the target
  /// is dead, another object may have it. So the object at this address is the target, or the
  /// target is dead.
  let targetID: ObjectIdentifier?
  private var isTargeted: Bool { targetID != nil }
  /// Whether only the domain of the signal may end the connection: the slot need not be `Sendable`.
  let isConfined: Bool
  /// Whether that domain is the main actor.
  private let isConfinedToMain: Bool
  /// The index in the list's array, or -1 before it is there; guarded by the list's lock.
  var position: Int32 = -1
  /// The list of the signal, until the one that ends the connection takes it.
  private var list: ConnectionList?
  @usableFromInline let origin: SlotOrigin

  /// Makes a connection that no list has yet.
  init(
    _ target: AnyObject?, _ body: SlotBody, _ mailbox: Mailbox?, isConfined: Bool, toMain: Bool,
    _ origin: SlotOrigin, _ list: ConnectionList, _ held: AnyObject?
  ) {
    mailboxReference = mailbox.map { Uncounted(retaining: $0) }
    (self.isConfined, isConfinedToMain) = (isConfined, toMain)
    targetID = target.map { ObjectIdentifier($0) }
    slot = unsafe Uncounted(retaining: Slot(body, held))
    weakTarget = target
    self.list = list
    self.origin = origin
    mailbox?.connectionReference = Uncounted(self)
    plain(.begin, self, "the slot of a connection")
    plain(.begin, self, "the list of a connection")
  }

  deinit {
    slot?.release()
    mailboxReference?.release()
  }

  var mailbox: Mailbox? { mailboxReference?.object }

  // MARK: - Counting calls

  /// Counts a call in, and returns true, unless the connection is over, or is suspended.
  ///
  /// A drain counts in `evenIfSuspended`, to drop the payloads of a suspended slot.
  ///
  /// Relaxed: counting in publishes nothing, and what a call reads was written before the
  /// connection could be found.
  @inline(__always)
  func enter(evenIfSuspended: Bool = false) -> Bool {
    let refused = evenIfSuspended ? Self.over : Self.over | Self.suspended
    var now = word.load(ordering: .relaxed)
    while now & refused == 0 {
      let (isBegun, found) = word.compareExchange(
        expected: now, desired: now &+ Self.oneCall)
      if isBegun { return true }
      now = found
    }
    return false
  }

  /// Counts a call out.
  ///
  /// Releasing and acquiring: all calls precede the release of the slot.
  @inline(__always)
  func leave() {
    let now = word.wrappingSubtract(Self.oneCall, ordering: .acquiringAndReleasing).newValue
    if now & Self.over != 0 { leaveOver(now) }
  }

  /// Releases the slot, or ends a connection that was cancelled elsewhere, if no call is left.
  @inline(never)
  private func leaveOver(_ now: Int) {
    if now >= Self.oneCall { return }
    if now & Self.ended == 0 { end() } else { releaseSlot() }
  }

  /// Releases the slot, and the payloads that a drain has moved: the last one out calls it, once.
  ///
  /// Not under a lock: this may run anybody's `deinit`.
  private func releaseSlot() {
    plain(.end, self, "the slot of a connection")
    let slot = slot.take()
    mailboxReference?.with { $0.releaseOutgoing() }
    slot?.release()
  }

  // MARK: - Calling

  /// Whether the slot may be called: the connection has not ended, and is not suspended; of an only
  /// part, neither is the handle.
  ///
  /// Relaxed, as every read of the flags: a call that begins after `cancel()` has returned sees the
  /// flag, because the program has ordered the two (guarantee 4).
  @inlinable @inline(__always)
  var isActive: Bool {
    word.load(ordering: .relaxed) & (Self.suspended | Self.over) == 0
      && (!origin.isOnlyPart || isHandleActive)
  }

  // Not inlined: to read the flags of the handle counts the reference to it (30 instructions).
  @inline(never)
  @usableFromInline var isHandleActive: Bool { origin.handle?.isActive != false }

  @inlinable @inline(__always)
  var isOver: Bool { word.load(ordering: .relaxed) & Self.over != 0 }

  /// The target, if there is one and it is alive.
  var target: AnyObject? { weakTarget }

  /// Calls the slot with its target, which is held during the call; with nil if it has none.
  ///
  /// The caller is counted in. If the target is dead, this ends the connection and calls nobody.
  @inline(__always)
  func call(_ payload: UnsafeRawPointer) {
    schedulePoint()
    plain(.read, self, "the slot of a connection")
    // A call is counted in, so the slot is there.
    let isTargetDead = unsafe slot.unsafelyUnwrapped.with { slot in
      guard isTargeted else {
        unsafe slot.call(nil, self, payload)
        return false
      }
      guard let target = weakTarget else { return true }
      schedulePoint()
      unsafe slot.call(consume target, self, payload)
      return false
    }
    if isTargetDead { end() }
  }

  /// Calls the slot, unless it may not be called.
  @inline(__always)
  func callIfActive(_ payload: UnsafeRawPointer) {
    if enter() {
      unsafe call(payload)
      leave()
    } else {
      endIfCancelledElsewhere()
    }
  }

  /// Calls `body` with the target, as one more call of the slot, unless the connection has ended.
  @usableFromInline
  func callAgain(_ body: (AnyObject?) -> Void) {
    guard enter(evenIfSuspended: true) else { return }
    let target = target
    if isTargeted, target == nil { end() } else { body(target) }
    leave()
  }

  /// What is awaited to call an asynchronous slot; the caller is counted in until it has been.
  func makeCall(_ target: AnyObject?, _ payload: UnsafeRawPointer) -> SlotCall? {
    plain(.read, self, "the slot of a connection")
    // A call is counted in, so the slot is there.
    return unsafe slot.unsafelyUnwrapped.object.makeCall?(target, self, payload)
  }

  /// Drops what waits for the slot, and what is emitted from now on; called in a call of the slot.
  @usableFromInline
  func refuse() { mailbox?.refuse() }

  // MARK: - Ending

  /// Ends the connection.
  ///
  /// ```swift
  /// observer.cancel()
  /// player.goal(3)  // nobody is called, now or later
  /// ```
  ///
  /// After this returns, no call of the slot begins. A call of a synchronous slot that another
  /// thread has begun may still run, unless you call this on the slot's own actor or serial queue.
  /// A call of an asynchronous slot that has begun continues, and its task is cancelled
  /// ([guarantee 4](doc:Guarantees)). Pending payloads are dropped. The slot's closure and captures
  /// are released before this returns, or when a call of this slot that is in progress returns
  /// ([guarantee 9](doc:Guarantees)). It never waits. A second call does nothing, and does not wait
  /// for the first one either.
  ///
  /// If the payloads are not `Sendable`, the closure and the captures are released in the isolation
  /// domain of the signal alone. If that is the main actor and you cancel there, they are released
  /// at once. Otherwise, the first of these releases them: the return of a slot that cancels
  /// itself, the next emission, `slotCount`, a `connect` that needs more room, or the end of the
  /// emitter.
  ///
  /// - Complexity: O(1), amortised, and O(*n*) in the number of its pending payloads. The first
  ///   change during an emission of the signal also copies the list of its connections.
  public func cancel() {
    if isConfined, !(isConfinedToMain && MainQueue.isCurrent) {
      // Relaxed, as below.
      word.bitwiseOr(Self.cancelledElsewhere)
    } else {
      end()
    }
  }

  /// Ends the connection; of a confined one, in the domain of the signal.
  @inline(never)  // The loop over slots is faster without it.
  @usableFromInline
  func end() {
    var now = word.load(ordering: .relaxed)
    while true {
      if now & Self.ended != 0 { return }
      // Relaxed: it publishes nothing, and counting out acquires all calls.
      let (isMine, found) = word.compareExchange(
        expected: now, desired: (now | Self.ended) &+ Self.oneCall)
      if isMine { break }
      now = found
    }
    plain(.write, self, "the list of a connection")
    let list = list.take()
    // This thread is counted in, so the slot is there.
    let held = unsafe slot.unsafelyUnwrapped.with { $0.held.take() }
    let removed = list?.remove(self)
    mailboxReference?.with { $0.close() }
    leave()
    // Each may be the last reference. Releasing what was held may run anybody's `deinit`.
    holdUntilHere((list, removed, held))
  }

  /// Whether the connection has ended: by ``cancel()``, because its target or its actor has died,
  /// or because the emitter is gone and its payloads are delivered.
  ///
  /// The death of a target of payloads that are not `Sendable` shows when the signal is used again.
  public var isCancelled: Bool {
    // Looking at a target holds it for a moment, and may release the last reference.
    if !isConfined { endIfDead() }
    return isOver
  }

  /// Ends the connection if its target or actor is dead, or if it was cancelled outside its domain.
  @inline(never)
  func endIfDead() {
    // If this one feeds the list of an operator, it ends with the last connection there.
    origin.following?.forEach { $0.endIfDead() }
    if isDead { end() }
    endIfCancelledElsewhere()
  }

  /// Does, in the domain of the signal, the rest of a `cancel()` that was called outside of it.
  func endIfCancelledElsewhere() {
    if word.load(ordering: .relaxed) & Self.cancelledElsewhere != 0 { end() }
  }

  /// Whether its target or its actor has died.
  var isDead: Bool { isTargetDead || mailboxReference?.with { $0.isPlaceDead } == true }

  /// Whether there was a target that has died.
  var isTargetDead: Bool {
    guard isTargeted else { return false }
    schedulePoint()
    return weakTarget == nil
  }
}

/// The function of a slot.
///
/// It takes the target (nil if the slot has none), the connection, and the address of a payload.
///
/// An operator makes a function that calls the user's closure, and then the function of the slot.
/// Between the two, it asks the connection whether the slot may still be called: the closure may
/// have cancelled or suspended the connection.
///
/// A payload passes by its address, because a connection does not know its type. The address is
/// right because `SignalSlot<Payload>` makes the function, and a slot is attached to signals of
/// that payload only. A function does not check that it runs in the place of its slot: the connect
/// form has chosen the place.
@unsafe
@usableFromInline
enum SlotBody {
  /// Consumes the target.
  ///
  /// The caller passes on the reference that it got by loading the weak one.
  case sync((__owned AnyObject?, SignalObserver, UnsafeRawPointer) -> Void)
  /// Copies the payload, and returns the call to await, or nil.
  case async(@Sendable (AnyObject?, SignalObserver, UnsafeRawPointer) -> SlotCall?)
}

/// A call of an asynchronous slot, which runs where it is awaited.
@usableFromInline typealias SlotCall = nonisolated(nonsending) () async -> Void

/// What a connection calls, in an object of its own: a closure in a variable is counted twice at
/// each call.
///
/// `@unchecked Sendable`: constant, but for `held`, which only the thread that ends the connection
/// takes; the function is as `Sendable` as the connect form asks.
@safe
private final class Slot: @unchecked Sendable {
  /// Not the `SlotBody`, which would be counted at each call, too.
  let call: (__owned AnyObject?, SignalObserver, UnsafeRawPointer) -> Void
  /// Nil if the slot is synchronous; otherwise nobody calls `call`.
  let makeCall: (@Sendable (AnyObject?, SignalObserver, UnsafeRawPointer) -> SlotCall?)?

  /// What the connection holds until it ends.
  ///
  /// If it is not `Sendable`, only the domain of the signal ends the connection. It is here because
  /// the connection would grow by 16 bytes on Linux, and this object does not.
  var held: AnyObject?

  init(_ body: SlotBody, _ held: AnyObject?) {
    self.held = held
    switch unsafe body {
    case .sync(let call): unsafe (self.call, makeCall) = (call, nil)
    case .async(let makeCall):
      unsafe call = { _, _, _ in fatalError("an asynchronous slot is awaited") }
      unsafe self.makeCall = makeCall
    }
  }
}

/// What a connection has if its slot does not run inline: it takes payloads, and delivers them at
/// the place of the slot.
///
/// What lies behind it is the second half of the kernel.
///
/// `@unchecked Sendable`: the connection is written before others have it.
@safe
@usableFromInline
class Mailbox: @unchecked Sendable {
  /// The connection, which owns this; set once, by its `init`.
  ///
  /// Unretained, because a strong reference would be a cycle.
  fileprivate(set) final var connectionReference: Uncounted<SignalObserver>?

  final var connection: SignalObserver? { connectionReference?.object }

  /// Calls the slot with the payload if it may run at once, or adds the payload to what waits.
  func receive(
    _ payload: UnsafeRawPointer, _ emission: OnStack<Emission>,
    for connection: SignalObserver
  ) {}

  /// Releases a note after the payloads that wait now, or when the connection ends.
  ///
  /// Returns false, and makes none, if nothing waits, and no drain has taken what did. The note is
  /// made under the lock of the line. Making it may take another lock, under which nobody takes the
  /// lock of a line.
  func addNote(_ note: () -> AnyObject) -> Bool { false }

  /// Drops what waits, and what is added from now on; called in a call of the slot.
  func refuse() {}

  /// Drops the pending payloads and the notes; nothing is added after this.
  func close() {}

  /// Releases the payloads that drains have moved out of the lock: those that are taken, and those
  /// that are pending behind them.
  ///
  /// Only a thread that is counted in calls it, or the one that counts out last.
  func releaseOutgoing() {}

  /// Whether the slot's actor has died.
  var isPlaceDead: Bool { false }

  /// How many payloads wait, and how many a bound has dropped.
  var counts: (waiting: Int, dropped: Int) { (0, 0) }
}
