import Dispatch
import Synchronization

/// The pending deliveries of one slot that does not run inline, and the one drain that delivers
/// them.
///
/// An emission appends under the lock and schedules a drain if none is. A drain takes what is there,
/// calls the slot up to ``batchLimit`` times, and goes to the back of its queue if more is pending,
/// so that a flood on one slot does not starve the other work of the queue (guarantee 14). A drain
/// that found more than one payload comes back once more though nothing is pending: in a flood that
/// the slot keeps up with, its emissions find a drain on its way instead of waking the queue each
/// time (half an allocation a delivery without, 0.05 with). Since there is one drain at a time, a slot
/// never overlaps with itself, on a concurrent queue either (guarantee 6). A pending drain holds the
/// slot, and not its target, its body or the signal.
///
/// Bodies leave the lock through a variable and not as its result: a function that passes through
/// a generic one is wrapped, at an allocation a call.
///
/// `@unchecked Sendable`: see the state below.
@safe
final class Mailbox: @unchecked Sendable {
  /// Where the drain runs.
  private enum Executor {
    case queue(DispatchQueue)
    case main
    case actor
    case target
    /// The drain awaits each call, and begins it on the actor or target, if there is one.
    case task(isTarget: Bool)
  }

  /// How many calls a drain makes before it lets others have the queue.
  ///
  /// Scheduling costs some 400 ns; over 128 calls that is 3 ns each.
  private static var batchLimit: Int { 128 }
  /// Room for more payloads than this is given back when nothing is pending.
  private static var keptCapacity: Int { 1024 }

  // MARK: - State
  //
  // state      everything in it, by its lock
  // hasWaiters atomic
  // batch      by being the drain, of which there is one at a time
  // executor   constant
  // type       constant
  // actor      never written after `init`; loading it is atomic

  @unsafe
  private struct State {
    var body: SlotBody?
    /// Emitted and not yet taken by a drain.
    var incoming = unsafe PayloadQueue()
    /// Taken by a drain that made way for others; older than `incoming`.
    var outgoing = unsafe PayloadQueue()
    /// How many payloads have been delivered, or dropped where they would have been; in batches.
    var delivered = 0
    /// How many payloads the drain in progress took.
    var inBatch = 0
    /// Those who wait for a number of deliveries, in order of that number.
    var waiters: [(count: Int, countdown: Countdown)] = []
    /// Calls of the body in progress.
    var calls = 0
    /// Whether a drain is on its way or in progress.
    var isScheduled = false
    /// Drains so far.
    var drains = 0
    var isClosed = false
    var endsWhenEmpty = false
    /// The slot, once its emitter has died and left something pending; weak, since it holds this.
    weak var lastSlot: Slot?
    /// What is told when the observer is resumed.
    var resumed: (any Resumable)?
    /// The task that runs the current drain of an asynchronous body.
    var task: Task<Void, Never>?

    var isEmpty: Bool { unsafe incoming.isEmpty && outgoing.isEmpty }

    /// Hands out those who waited for `count` deliveries, to be told after the lock.
    mutating func takeWaiters(for count: Int) -> [(count: Int, countdown: Countdown)] {
      if unsafe waiters.isEmpty { return [] }
      let due = unsafe waiters.prefix { $0.count <= count }
      unsafe waiters.removeFirst(due.count)
      return Array(due)
    }

    /// A call of the body has returned; hands out what must be released after the lock.
    mutating func endCall(_ released: inout SlotBody?) {
      unsafe calls -= 1
      if unsafe isClosed && calls == 0 { unsafe swap(&body, &released) }
    }
  }

  private let state: Lock<State>
  /// Whether anybody waits, so that nobody pays who is not waited for.
  ///
  /// Relaxed, because it is a hint: whoever is missed is told at the end of the batch, by what the
  /// lock guards.
  private let hasWaiters = Atomic<Bool>(false)
  /// What the drain in progress has left to deliver; nil between drains.
  ///
  /// The payloads' places are on the drain's stack: beside `state`, each delivery would take the
  /// memory of the lock away from the emissions (195 ns a delivery in a flood, against 100). Written
  /// by the drain, and read on the executor that it runs on, by deliveries at once; for a queue, by
  /// nobody else.
  private var batch: UnsafeMutablePointer<PayloadQueue>?
  /// Whether the drain, asked from inside a call that it makes, will make no other.
  private var isBatchDelivered: Bool { unsafe (batch?.pointee.count ?? 0) <= 1 }
  private let type: PayloadType
  private let executor: Executor
  /// Weak: an actor that connects one of its own objects would otherwise be kept alive by a signal
  /// that it may own.
  private weak var actor: (any Actor)?
  private let isActorBound: Bool

  init(_ delivery: Delivery, _ body: SlotBody, _ type: PayloadType) {
    unsafe state = Lock(State(body: body))
    self.type = type
    if case .actor(let actor) = delivery { self.actor = actor }
    switch (unsafe body, delivery) {
    case (.async, .target): executor = .task(isTarget: true)
    case (.async, _): executor = .task(isTarget: false)
    case (.sync, .queue(let queue)): executor = .queue(queue)
    case (.sync, .main), (.sync, .inline): executor = .main
    case (.sync, .target): executor = .target
    case (.sync, .actor): executor = .actor
    }
    isActorBound = self.actor != nil
  }

  deinit {
    close()
  }

  // MARK: - Sending

  /// Not inlined, to keep the loop over inline slots small, and the stack of nested emissions.
  @inline(never)
  func send(
    _ address: UnsafeRawPointer, to slot: Slot, in emission: UnsafeMutablePointer<Emission>
  ) {
    if unsafe isHere(slot, emission), case .sync(let body) = unsafe beginCallAtOnce() {
      unsafe slot.call(body, with: address)
      endCall()
      return
    }
    let drain = unsafe state.withLock { state -> Int? in
      if unsafe state.isClosed { return nil }
      unsafe state.incoming.append(address, type)
      if unsafe state.isScheduled { return nil }
      unsafe state.isScheduled = true
      unsafe state.drains += 1
      return unsafe state.drains
    }
    if let drain { schedule(slot, drain) }
  }

  /// Whether the emission is where the slot runs.
  ///
  /// Known by the compiler if the emission is on an actor; otherwise only the main queue can be
  /// recognised.
  private func isHere(_ slot: Slot, _ emission: UnsafeMutablePointer<Emission>) -> Bool {
    switch executor {
    case .queue, .task: false
    case .main: unsafe emission.pointee.isOnMain
    case .actor: unsafe emission.pointee.isOn(actor)
    case .target: unsafe emission.pointee.isOn(slot.target)
    }
  }

  /// The body to be called at once, unless something is pending, which must come first
  /// (guarantee 13).
  private func beginCallAtOnce() -> SlotBody? {
    var body: SlotBody?
    unsafe state.withLock { state in
      guard unsafe state.isEmpty, isBatchDelivered, unsafe !state.isClosed
      else { return }
      unsafe state.calls += 1
      unsafe body = state.body
    }
    return unsafe body
  }

  private func endCall() {
    var released: SlotBody?
    unsafe state.withLock { unsafe $0.endCall(&released) }
    unsafe withExtendedLifetime(released) {}
  }

  // MARK: - Draining

  private func schedule(_ slot: Slot, _ drain: Int) {
    switch executor {
    case .queue(let queue):
      queue.async { self.drain(slot, drain) }
    case .main:
      MainQueue.queue.async { self.drain(slot, drain) }
    case .actor, .target:
      Task.detached {
        // The actor is let go of between batches, so that a flood does not keep it alive.
        var comesAgain = true
        while comesAgain {
          guard let actor = self.actor(of: slot) else { return slot.observer.cancel() }
          comesAgain = await self.drainBatch(slot, on: actor)
        }
      }
    case .task:
      let task = Task.detached { await self.drainInTask(slot) }
      let isClosed = unsafe state.withLock { state in
        // It may be over, and another one on its way.
        if unsafe state.isScheduled && state.drains == drain { unsafe state.task = task }
        return unsafe state.isClosed
      }
      if isClosed { task.cancel() }
    }
  }

  private func actor(of slot: Slot) -> (any Actor)? {
    switch executor {
    case .target, .task(isTarget: true): slot.target as? any Actor
    default: actor
    }
  }

  private func drain(_ slot: Slot, _ drain: Int) {
    if drainBatch(slot) { schedule(slot, drain) }
  }

  private func drainBatch(_ slot: Slot, on actor: isolated any Actor) -> Bool {
    drainBatch(slot)
  }

  /// Delivers a batch, and returns whether to come again.
  private func drainBatch(_ slot: Slot) -> Bool {
    var payloads = unsafe PayloadQueue()
    return unsafe withUnsafeMutablePointer(to: &payloads) { batch in
      // None if the mailbox was closed; what was pending went with it.
      guard case .sync(let body) = unsafe beginCalls(batch) else { return false }
      let isEmpty = unsafe batch.pointee.isEmpty
      unsafe self.batch = batch
      var limit = Self.batchLimit
      while limit > 0, let address = unsafe batch.pointee.first(type), !slot.observer.isEnded {
        limit -= 1
        if slot.observer.isActive { unsafe slot.call(body, with: address) }
        unsafe batch.pointee.removeFirst(type)
        if hasWaiters.load(ordering: .relaxed) { unsafe tellWaiters(batch.pointee.count) }
      }
      unsafe self.batch = nil
      closeIfEnded(slot)
      let comesAgain = unsafe endCalls(batch, slot)
      // What came since this drain, coming back, found nothing: its emission may have been followed by
      // other work for the queue, which it goes before.
      return comesAgain && isEmpty ? drainBatch(slot) : comesAgain
    }
  }

  /// Delivers one payload after the other, each when the one before has been handled, until none is
  /// left.
  private func drainInTask(_ slot: Slot) async {
    // On the heap, since a task may suspend while it is used.
    let batch = UnsafeMutablePointer<PayloadQueue>.allocate(capacity: 1)
    unsafe batch.initialize(to: PayloadQueue())
    defer { unsafe batch.deallocate() }
    var comesAgain = true
    while comesAgain, case .async(let body) = unsafe beginCalls(batch) {
      while let address = unsafe batch.pointee.first(type), !slot.observer.isEnded {
        let actor = actor(of: slot)
        if actor == nil, isActorBound {
          slot.observer.cancel()
        } else {
          // The drain awaits the call, so nobody else touches the payload meanwhile.
          nonisolated(unsafe) let address = unsafe address
          unsafe await call(body, slot, address, on: actor)
        }
        unsafe batch.pointee.removeFirst(type)
        if hasWaiters.load(ordering: .relaxed) { unsafe tellWaiters(batch.pointee.count) }
      }
      closeIfEnded(slot)
      comesAgain = unsafe endCalls(batch, slot)
    }
  }

  /// Calls `body` once, if that is still wanted when the actor's turn has come: after `cancel()` on
  /// that actor, no call begins.
  ///
  /// Holds the target until the call has returned, and not until the next.
  private func call(
    _ body: @Sendable (AnyObject?, UnsafeRawPointer) async -> Void, _ slot: Slot,
    _ address: UnsafeRawPointer, on actor: isolated (any Actor)?
  ) async {
    guard slot.observer.isActive else { return }
    let target = slot.target
    if target == nil, slot.isTargetGone { return slot.observer.cancel() }
    unsafe await body(target, address)
  }

  /// Moves the oldest payloads to `batch` and returns the body to call with them; nil if the mailbox
  /// was closed.
  private func beginCalls(_ batch: UnsafeMutablePointer<PayloadQueue>) -> SlotBody? {
    var body: SlotBody?
    unsafe state.withLock { state in
      // By way of `outgoing`, so that two blocks of memory take turns.
      if unsafe state.outgoing.isEmpty { unsafe swap(&state.incoming, &state.outgoing) }
      unsafe swap(&state.outgoing, &batch.pointee)
      if unsafe state.isClosed { return }
      unsafe state.inBatch = batch.pointee.count
      unsafe state.calls += 1
      unsafe body = state.body
    }
    return unsafe body
  }

  /// Puts back what is left of `batch`, and returns whether the drain has to come again.
  private func endCalls(_ batch: UnsafeMutablePointer<PayloadQueue>, _ slot: Slot) -> Bool {
    var mustEnd = false
    var released: SlotBody?
    var waiters: [(count: Int, countdown: Countdown)] = []
    let comesAgain = unsafe state.withLock { state in
      unsafe state.endCall(&released)
      let isBurst = unsafe state.inBatch > 1
      unsafe state.delivered += state.inBatch - batch.pointee.count
      unsafe state.inBatch = 0
      waiters = unsafe state.takeWaiters(for: state.delivered)
      if unsafe state.isClosed { return false }
      unsafe swap(&state.outgoing, &batch.pointee)
      if unsafe !state.isEmpty || isBurst && !state.endsWhenEmpty { return true }
      unsafe state.isScheduled = false
      unsafe state.task = nil
      unsafe state.incoming.shrink(to: Self.keptCapacity, type)
      unsafe state.outgoing.shrink(to: Self.keptCapacity, type)
      unsafe mustEnd = state.endsWhenEmpty
      return false
    }
    // What a closed mailbox has left.
    unsafe batch.pointee.removeAll(type)
    unsafe withExtendedLifetime(released) {}
    for waiter in waiters { waiter.countdown.done() }
    if mustEnd { slot.observer.cancel() }
    return comesAgain
  }

  // MARK: - Waiting

  /// Tells `countdown` when what is pending now has been delivered, or will not be.
  func whenDelivered(_ countdown: Countdown) {
    let isPending = unsafe state.withLock { state in
      let pending = unsafe state.inBatch + state.outgoing.count + state.incoming.count
      if unsafe state.isClosed || pending == 0 { return false }
      unsafe state.waiters.append((state.delivered + pending, countdown))
      return true
    }
    if isPending { hasWaiters.store(true, ordering: .relaxed) } else { countdown.done() }
  }

  /// Inside a batch of which `remaining` payloads are left.
  private func tellWaiters(_ remaining: Int) {
    let waiters = unsafe state.withLock { state in
      let due = unsafe state.takeWaiters(for: state.delivered + state.inBatch - remaining)
      if unsafe state.waiters.isEmpty { hasWaiters.store(false, ordering: .relaxed) }
      return due
    }
    for waiter in waiters { waiter.countdown.done() }
  }

  // MARK: - Ending

  /// Drops what is pending and releases the body, unless a call is in progress: then when it
  /// returns.
  func close() {
    var incoming = unsafe PayloadQueue()
    var outgoing = unsafe PayloadQueue()
    var body: SlotBody?
    var waiters: [(count: Int, countdown: Countdown)] = []
    var resumed: (any Resumable)?
    let task = unsafe state.withLock { state in
      unsafe state.isClosed = true
      waiters = unsafe state.takeWaiters(for: .max)
      unsafe swap(&state.resumed, &resumed)
      unsafe swap(&state.incoming, &incoming)
      unsafe swap(&state.outgoing, &outgoing)
      if unsafe state.calls == 0 { unsafe swap(&state.body, &body) }
      return unsafe state.task.take()
    }
    task?.cancel()
    unsafe incoming.removeAll(type)
    unsafe outgoing.removeAll(type)
    unsafe withExtendedLifetime(body) {}
    withExtendedLifetime(resumed) {}
    for waiter in waiters { waiter.countdown.done() }
  }

  /// Closes if the connection has ended, so that the drain ends with it.
  ///
  /// Whoever cancels sets the flag first and closes next. In between, which lasts as long as that
  /// thread is held up, a drain would put back what it may not deliver and come again at once.
  private func closeIfEnded(_ slot: Slot) {
    if slot.observer.isEnded { close() }
  }

  /// Returns true if nothing is pending.
  ///
  /// Else, the drain ends the connection when nothing is.
  func finish(_ slot: Slot) -> Bool {
    unsafe state.withLock { state in
      if unsafe state.isEmpty && state.inBatch == 0 { return true }
      unsafe state.endsWhenEmpty = true
      unsafe state.lastSlot = slot
      return false
    }
  }

  /// The slot, if only this and its pending drain know it any more.
  var lastSlot: Slot? { unsafe state.withLock { unsafe $0.lastSlot } }

  // MARK: - Resuming

  /// Holds `object`, to tell it when the observer is resumed; nil to let go of it.
  func setResumed(_ object: (any Resumable)?) {
    var old = object
    unsafe state.withLock { state in
      if unsafe !state.isClosed { unsafe swap(&state.resumed, &old) }
    }
    // After the lock.
    withExtendedLifetime(old) {}
  }

  func resume() {
    let resumed = unsafe state.withLock { unsafe $0.resumed }
    resumed?.resume()
  }

  // MARK: - Looking

  /// Without those that a drain in progress has taken.
  var pendingCount: Int {
    unsafe state.withLock { unsafe $0.incoming.count + $0.outgoing.count }
  }

  var deliveryDescription: String {
    switch executor {
    case .queue(let queue): "queue \"\(queue.label)\""
    case .main: "main"
    case .actor: isolationDescription
    case .target: "isolated to its target"
    case .task(isTarget: true): "async, isolated to its target"
    case .task(isTarget: false): isActorBound ? "async, \(isolationDescription)" : "async"
    }
  }

  private var isolationDescription: String {
    actor.map { "isolated to \(Swift.type(of: $0))" } ?? "isolated to a dead actor"
  }
}

/// Something that has to catch up when its observer is resumed.
protocol Resumable: AnyObject, Sendable {
  func resume()
}
