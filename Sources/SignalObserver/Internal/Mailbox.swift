public import Dispatch

/// Where and when a slot runs.
@usableFromInline
enum Delivery {
  /// On the emitting thread, before `invoke` returns.
  case inline
  /// On a queue, always later.
  case queue(DispatchQueue)
  /// On the main queue, which is the main actor; at once when the emission is there.
  case main
  /// On an actor; at once when the emission is there.
  case actor(any Actor)
  /// On the target, which is an actor; at once when the emission is there.
  case target

  /// Where code of this isolation runs; the main queue if it has none.
  @usableFromInline
  init(isolation: (any Actor)?) {
    switch isolation {
    case nil: self = .main
    case let actor? where actor === MainActor.shared: self = .main
    case let actor?: self = .actor(actor)
    }
  }

  /// Where asynchronous code of this isolation runs; anywhere if it has none.
  @usableFromInline
  init(asyncIsolation isolation: (any Actor)?) {
    self = isolation.map { Delivery(isolation: $0) } ?? .inline
  }

  @usableFromInline
  init(queue: DispatchQueue?) {
    self = queue.map { .queue($0) } ?? .inline
  }
}

/// What a ``SignalObserver`` asks of a mailbox, whatever its payload.
protocol MailboxControl: AnyObject, Sendable {
  /// Drops what is pending and releases the body, unless a call is in progress: then when it
  /// returns.
  func close()
  /// Returns true if nothing is pending. Else ends the connection when nothing is.
  func finish() -> Bool
  var deliveryDescription: String { get }
  var pendingCount: Int { get }
}

/// The pending deliveries of one slot that does not run inline, and the one drain that delivers
/// them.
///
/// An emission appends under the lock and schedules a drain if none is. A drain takes what is
/// there, calls the slot up to ``batchLimit`` times, and goes to the back of its queue if more is
/// pending, so that a flood on one slot does not starve the other work of the queue (guarantee 14).
/// Since there is one drain at a time, a slot never overlaps with itself, on a concurrent queue
/// either (guarantee 6). A pending drain holds the slot, and not its target, its body or the
/// signal.
///
/// `@unchecked Sendable`: see `State` below.
final class Mailbox<Payload>: MailboxControl, @unchecked Sendable {
  /// Where the drain runs.
  private enum Executor {
    case queue(DispatchQueue)
    case main
    case actor
    case target
    /// No place in particular: an asynchronous body that is on no actor.
    case anywhere
  }

  /// How many calls a drain makes before it lets others have the queue.
  ///
  /// Scheduling costs some 400 ns; over 128 calls that is 3 ns each.
  private static var batchLimit: Int { 128 }
  /// Room for more payloads than this is given back when nothing is pending.
  private static var keptCapacity: Int { 1024 }

  // MARK: - State
  //
  // state      everything in it, by its lock batch      by being the drain: only the one drain in
  // progress touches it, on the slot's executor, where a delivery at
  //            once looks at it too
  // executor   constant actor      never written after `init`

  private struct State {
    var body: SlotBody<Payload>?
    /// Emitted after what is in `outgoing`, oldest first.
    var incoming: [Payload] = []
    /// Taken by a drain and not yet delivered, oldest last.
    var outgoing: [Payload] = []
    /// Calls of the body in progress.
    var calls = 0
    /// Whether a drain is on its way or in progress.
    var isScheduled = false
    var isClosed = false
    var endsWhenEmpty = false
    /// The task that runs an asynchronous body.
    var task: Task<Void, Never>?

    var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    /// The next payload, oldest first; each is moved twice at most.
    mutating func next() -> Payload? {
      if outgoing.isEmpty {
        swap(&incoming, &outgoing)
        outgoing.reverse()
      }
      return outgoing.popLast()
    }

    mutating func shrink() {
      if incoming.capacity > keptCapacity { incoming = [] }
      if outgoing.capacity > keptCapacity { outgoing = [] }
    }

    /// A call of the body has returned.
    ///
    /// Returns what must be released after the lock.
    mutating func endCall() -> SlotBody<Payload>? {
      calls -= 1
      return isClosed && calls == 0 ? body.take() : nil
    }
  }

  private let state: Lock<State>
  private var batch: [Payload] = []
  private let executor: Executor
  /// Whether the body is asynchronous, and runs in a task of its own.
  private let isAsync: Bool
  /// Weak: an actor that connects one of its own objects would otherwise be kept alive by a signal
  /// it may own.
  private weak var actor: (any Actor)?

  init(_ delivery: Delivery, _ body: SlotBody<Payload>) {
    state = Lock(State(body: body))
    isAsync = if case .async = body { true } else { false }
    switch delivery {
    case .inline: executor = .anywhere
    case .queue(let queue): executor = .queue(queue)
    case .main: executor = .main
    case .target: executor = .target
    case .actor(let actor):
      executor = .actor
      self.actor = actor
    }
  }

  // MARK: - Sending

  func send(_ payload: Payload, to slot: Slot<Payload>, from isolation: ObjectIdentifier?) {
    if isHere(slot, isolation), case .sync(let body)? = beginCallAtOnce() {
      slot.withTarget { body($0, payload) }
      endCall()
      return
    }
    let mustSchedule = state.withLock { state in
      if state.isClosed { return false }
      state.incoming.append(payload)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule(slot) }
  }

  /// Whether the emission is where the slot runs.
  ///
  /// Known by the compiler if the emission is on an actor; otherwise only the main queue can be
  /// recognised.
  private func isHere(_ slot: AnySlot, _ isolation: ObjectIdentifier?) -> Bool {
    if isAsync { return false }
    return switch executor {
    case .queue, .anywhere: false
    case .main:
      if let isolation { isolation == MainQueue.actor } else { MainQueue.isCurrent }
    case .actor: isolation != nil && actor.map { ObjectIdentifier($0) } == isolation
    case .target: isolation != nil && slot.target.map { ObjectIdentifier($0) } == isolation
    }
  }

  /// The body to be called at once, unless something is pending, which must come first (guarantee
  /// 13).
  ///
  /// As a ``SlotBody``: a function that passes through a generic result is wrapped twice on the
  /// heap.
  private func beginCallAtOnce() -> SlotBody<Payload>? {
    state.withLock { state in
      guard state.isEmpty, batch.isEmpty, let body = state.body else { return nil }
      state.calls += 1
      return body
    }
  }

  private func endCall() {
    let released = state.withLock { $0.endCall() }
    withExtendedLifetime(released) {}
  }

  // MARK: - Draining

  private func schedule(_ slot: Slot<Payload>) {
    if isAsync { return startTask(slot) }
    switch executor {
    case .queue(let queue):
      queue.async { self.drain(slot) }
    case .main:
      MainQueue.queue.async { self.drain(slot) }
    case .actor, .target:
      Task.detached {
        // The actor is let go of between batches, so that a flood does not keep it alive.
        var isMorePending = true
        while isMorePending {
          guard let actor = self.actor(of: slot) else { return slot.observer.cancel() }
          isMorePending = await self.drainBatch(slot, on: actor)
        }
      }
    case .anywhere:
      preconditionFailure("a synchronous slot that runs inline has no mailbox")
    }
  }

  /// The task is made under the lock, so that it is known before it can end or be cancelled.
  private func startTask(_ slot: Slot<Payload>) {
    state.withLock { state in
      if state.isClosed { return }
      state.task = Task.detached { await self.drainInTask(slot) }
    }
  }

  private func actor(of slot: AnySlot) -> (any Actor)? {
    switch executor {
    case .queue, .anywhere: nil
    case .main: MainActor.shared
    case .actor: actor
    case .target: slot.target as? any Actor
    }
  }

  private func drain(_ slot: Slot<Payload>) {
    if drainBatch(slot) { schedule(slot) }
  }

  private func drainBatch(_ slot: Slot<Payload>, on actor: isolated any Actor) -> Bool {
    drainBatch(slot)
  }

  /// Delivers a batch.
  ///
  /// Returns whether more is pending.
  private func drainBatch(_ slot: Slot<Payload>) -> Bool {
    let body = state.withLock { state -> SlotBody<Payload>? in
      guard let body = state.body else { return nil }
      if state.outgoing.isEmpty {
        swap(&state.incoming, &batch)
        batch.reverse()
      } else {
        swap(&state.outgoing, &batch)
      }
      state.calls += 1
      return body
    }
    // Closed: what was pending went with it.
    guard case .sync(let body)? = body else { return false }
    var limit = Self.batchLimit
    while limit > 0, let payload = batch.popLast() {
      limit -= 1
      let observer = slot.observer
      if observer.isActive {
        slot.withTarget { body($0, payload) }
      } else if observer.isEnded {
        batch = []
      }
    }
    let outcome = state.withLock {
      state -> (released: SlotBody<Payload>?, dropped: [Payload], next: Next) in
      let released = state.endCall()
      var dropped: [Payload] = []
      if state.isClosed {
        swap(&batch, &dropped)
        state.isScheduled = false
        return (released, dropped, .nothing)
      }
      swap(&state.outgoing, &batch)
      guard state.isEmpty else { return (released, [], .batch) }
      state.shrink()
      state.isScheduled = false
      return (released, [], state.endsWhenEmpty ? .end : .nothing)
    }
    switch outcome.next {
    case .batch: return true
    case .end: slot.observer.cancel()
    case .nothing: break
    }
    return false
  }

  private enum Next {
    case batch
    case nothing
    case end
  }

  /// Delivers one payload after the other, each when the one before has been handled, until none is
  /// left.
  private func drainInTask(_ slot: Slot<Payload>) async {
    while let call = nextCall(slot) {
      await self.call(call, slot, on: actor(of: slot))
      endCall()
    }
  }

  /// `@unchecked Sendable`: only sources whose payload is `Sendable` connect asynchronous bodies.
  private struct AsyncCall: @unchecked Sendable {
    let payload: Payload
    let body: @Sendable (AnyObject?, Payload) async -> Void
  }

  /// Calls the body if the slot is still active, which is asked on the actor that the body runs on,
  /// so that what was cancelled there is not called (guarantee 4).
  ///
  /// Holds the target until the call has returned, and not until the next.
  private func call(
    _ call: AsyncCall, _ slot: Slot<Payload>, on actor: isolated (any Actor)?
  ) async {
    guard slot.observer.isActive else { return }
    let target = slot.target
    if target == nil, slot.isTargetGone { return slot.observer.cancel() }
    await call.body(target, call.payload)
  }

  private func nextCall(_ slot: Slot<Payload>) -> AsyncCall? {
    var mustEnd = false
    let next = state.withLock { state -> AsyncCall? in
      if case .async(let body) = state.body, let payload = state.next() {
        state.calls += 1
        return AsyncCall(payload: payload, body: body)
      }
      state.isScheduled = false
      state.task = nil
      state.shrink()
      mustEnd = state.endsWhenEmpty
      return nil
    }
    if mustEnd { slot.observer.cancel() }
    return next
  }

  // MARK: - MailboxControl

  func close() {
    let released = state.withLock { state in
      state.isClosed = true
      let released = (
        state.incoming, state.outgoing, state.calls == 0 ? state.body.take() : nil,
        state.task.take()
      )
      state.incoming = []
      state.outgoing = []
      return released
    }
    released.3?.cancel()
  }

  func finish() -> Bool {
    state.withLock { state in
      state.endsWhenEmpty = true
      return !state.isScheduled
    }
  }

  var pendingCount: Int {
    state.withLock { $0.incoming.count + $0.outgoing.count }
  }

  var deliveryDescription: String {
    if isAsync { return "asynchronous, one call at a time" }
    return switch executor {
    case .queue(let queue): "queue \"\(queue.label)\""
    case .main: "main"
    case .actor: actor.map { "isolated to \(type(of: $0))" } ?? "isolated"
    case .target: "isolated to its target"
    case .anywhere: "anywhere"
    }
  }
}

/// The main queue, recognised from any thread.
///
/// `Thread.isMainThread` is false on the main queue under `async main` and `dispatchMain()` on
/// Linux, and `DispatchQueue.main` is a new object at each access there; a specific value answers
/// right in all cases.
enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()

  static let queue = {
    let queue = DispatchQueue.main
    queue.setSpecific(key: key, value: true)
    return queue
  }()

  static let actor = ObjectIdentifier(MainActor.shared)

  static var isCurrent: Bool {
    _ = queue
    return DispatchQueue.getSpecific(key: key) != nil
  }
}
