public import Synchronization

/// The slots of one signal in the order in which they were connected, read by emissions without a
/// lock.
///
/// Appending and removing are O(1) amortised and take the lock; an emission takes one atomic
/// read-modify-write to enter and one to leave. Three rules make that safe:
///
///  1. **A buffer only grows at its end.** An appended slot is stored before the count that covers
///     it. A removed slot leaves a hole. When a buffer is full or has many holes, its slots move to
///     a new one; emissions that read the old one go on with it.
///  2. **Emissions count themselves in.** `entrances` holds a generation and the number of
///     emissions that entered in it and have not left. When something is taken out while others may
///     be looking at it (a slot, a buffer), it is kept and the next generation begins, so that later
///     emissions are not waited for.
///  3. **What was taken out goes when nobody can see it:** at once if no emission is in progress, or
///     only ones of the calling thread that do not hold it; otherwise with the last emission of the
///     generations in which it could be seen.
///
/// The generation is compared again after the buffer has been read, so that an emission never sees
/// a slot or a buffer that was born after the generation it is counted in. An emission that never
/// ends therefore keeps only what it could see.
@safe
@usableFromInline
final class SlotList: Sendable {
  /// What one emission looks at: the slots connected when it was made, less those that are removed
  /// meanwhile.
  @unsafe
  struct Snapshot {
    /// Valid until ``SlotList/leave(_:)`` by rule 3, and unretained because two atomic operations
    /// more would double the cost of an emission to one slot.
    fileprivate let buffer: Unmanaged<SlotBuffer>
    fileprivate let generation: UInt32
    /// Whether another emission of the same list may be in progress.
    let hasCompany: Bool
    let count: Int

    /// The slot at `index`, or nil if it was removed.
    ///
    /// Valid until the emission leaves, by rule 3.
    @inline(__always)
    subscript(index: Int) -> Unmanaged<Slot>? {
      unsafe plainRead(UnsafeRawPointer(buffer.toOpaque()), "a buffer")
      return unsafe buffer._withUnsafeGuaranteedRef { unsafe $0[index] }
    }

    fileprivate func reads(_ other: SlotBuffer?) -> Bool {
      unsafe buffer._withUnsafeGuaranteedRef { $0 === other }
    }
  }

  // MARK: - State

  /// High half: the generation.
  ///
  /// Low half: emissions that entered in it and are inside.
  ///
  /// Entering acquires what was taken out before, and leaving releases, so that whoever finds
  /// nobody inside comes after all they did. Those who take out write to it as well (if only by
  /// adding zero): of an emission and a removal, one sees the other.
  private let entrances: Atomic<UInt64>
  /// The current buffer, owned by the ledger.
  ///
  /// Releasing store under the lock, acquiring load in emissions.
  private let published = unsafe Atomic<Unmanaged<SlotBuffer>?>(nil)
  /// The number of slots in the list; written under the lock.
  ///
  /// Zero answers an emission without entering.
  @usableFromInline let live = Atomic<Int>(0)
  /// Whether emissions of earlier generations are inside; written under the lock, before
  /// `entrances` moves on.
  private let hasPast = Atomic<Bool>(false)
  private let ledger = Lock(Ledger())

  /// Begins in `generation`, which wraps around; tests begin near the end.
  @usableFromInline
  init(generation: UInt32 = 0) {
    entrances = Atomic(UInt64(generation) << 32)
  }

  private var identity: ObjectIdentifier { ObjectIdentifier(self) }

  // MARK: - Emissions

  /// Whether there is nobody to call.
  @inlinable
  var isEmpty: Bool { live.load(ordering: .acquiring) == 0 }

  /// Enters an emission, or returns nil if there is no slot.
  @inline(__always)
  func enter() -> Snapshot? {
    if isEmpty { return nil }
    while true {
      let before = entrances.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
      let generation = before.generation
      if let buffer = unsafe published.load(ordering: .acquiring) {
        let count = unsafe buffer._withUnsafeGuaranteedRef { $0.count }
        if entrances.load(ordering: .acquiring).generation == generation {
          let hasCompany = before.inside != 0 || hasPast.load(ordering: .relaxed)
          return unsafe Snapshot(
            buffer: buffer, generation: generation, hasCompany: hasCompany, count: count)
        }
      }
      // Something was taken out between the two looks; what was read may be younger than the
      // generation. Look again.
      leave(generation)
      if isEmpty { return nil }
    }
  }

  @inline(__always)
  func leave(_ snapshot: Snapshot) {
    unsafe leave(snapshot.generation)
  }

  @inline(__always)
  private func leave(_ generation: UInt32) {
    var now = entrances.load(ordering: .relaxed)
    while now.generation == generation {
      let (exchanged, original) = entrances.weakCompareExchange(
        expected: now, desired: now - 1, successOrdering: .releasing, failureOrdering: .relaxed)
      if exchanged { return }
      now = original
    }
    leavePast(generation)
  }

  @inline(never)
  private func leavePast(_ generation: UInt32) {
    let released = ledger.withLock { ledger in
      let released = ledger.leave(generation)
      hasPast.store(!ledger.past.isEmpty, ordering: .relaxed)
      return released
    }
    // The last references to what was taken out go here, after the lock: their `deinit` may run
    // anybody's code.
    for each in released { plainEnd(each.object, "what was taken out") }
    withExtendedLifetime(released) {}
  }

  // MARK: - Connecting and removing

  /// Connects a slot, or returns an observer that is cancelled if the emitter is gone.
  @usableFromInline
  func attach(_ request: SlotRequest) -> SignalObserver {
    let slot = Slot(request, SignalObserver(self))
    attach(slot)
    return slot.observer
  }

  /// The slot and observer of a connection that waits for ``attach(_:)-(Slot)``, which must follow.
  @usableFromInline
  func makeSlot(_ request: SlotRequest) -> Slot {
    let slot = Slot(request, SignalObserver(self))
    ledger.withLock { $0.waiting.append(slot) }
    return slot
  }

  /// Connects `slot`, or ends its connection if the emitter is gone.
  ///
  /// Once for each slot; on one that was cancelled before, it has no effect.
  @usableFromInline
  func attach(_ slot: Slot) {
    if !append(slot) {
      slot.observer.cancel()
    } else if slot.observer.isEnded {
      // It was cancelled before it could be found. If that happens only now, both take it out,
      // which one of them does.
      remove(slot.observer)
    }
  }

  /// What holds the pending deliveries of `observer`, until it is cancelled.
  func mailbox(of observer: SignalObserver) -> Mailbox? {
    ledger.withLock { _ in observer.mailbox }
  }

  /// Adds `slot` behind the others.
  ///
  /// Returns false if the emitter is gone.
  private func append(_ slot: Slot) -> Bool {
    while true {
      let outcome = ledger.withLock { ledger -> Ledger.Appended in
        let outcome = ledger.append(slot, generation: entrances.load(ordering: .relaxed).generation)
        if outcome == .done { live.store(live.load(ordering: .relaxed) + 1, ordering: .releasing) }
        if outcome != .full { ledger.endWaiting(slot) }
        return outcome
      }
      switch outcome {
      case .done: return true
      case .finished: return false
      case .full:
        // Dead targets are looked for when memory would have to grow, which keeps connecting O(1)
        // amortised and bounds the dead slots of a signal that never emits. Outside the lock, since
        // letting go of a target may run its `deinit`.
        forEach { $0.endIfTargetIsGone() }
        makeRoom()
      }
    }
  }

  private func makeRoom() {
    let old = ledger.withLock { ledger -> AnyObject? in
      if let buffer = ledger.buffer, buffer.count < buffer.capacity { return nil }
      return move(&ledger)
    }
    withExtendedLifetime(old) {}
  }

  /// Takes the slot of `observer` out, if it is in, and closes its mailbox.
  ///
  /// Its captures are released before this returns, unless an emission may be calling it.
  func remove(_ observer: SignalObserver) {
    let released = ledger.withLock { ledger -> (Mailbox?, AnyObject?, AnyObject?) in
      let mailbox = observer.mailbox.take()
      guard let slot = ledger.take(observer) else { return (mailbox, nil, nil) }
      live.store(live.load(ordering: .relaxed) - 1, ordering: .releasing)
      let calledSlot = ObjectIdentifier(slot)
      let kept = unsafe discard(slot, birth: slot.birth, &ledger) { emission, buffer in
        unsafe emission.calling == calledSlot || !emission.snapshot.reads(buffer)
      }
      return (mailbox, kept, ledger.hasManyHoles ? move(&ledger) : nil)
    }
    released.0?.close()
    withExtendedLifetime(released) {}
  }

  /// Lets go of `slot`, which was removed while this thread was calling it, now that the call has
  /// returned.
  @inline(never)
  func release(_ slot: Slot) {
    let identity = ObjectIdentifier(slot)
    let released = ledger.withLock { ledger -> AnyObject? in
      // From the end, where what was taken out during the call is.
      guard let index = ledger.retired.lastIndex(where: { $0.object === slot }) else { return nil }
      let buffer = ledger.buffer
      guard
        unsafe Emission.canRelease(
          self.identity, inProgress: look().inside + ledger.insidePast,
          isHolding: { unsafe $0.calling == identity || !$0.snapshot.reads(buffer) })
      else { return nil }
      return ledger.retired.remove(at: index).object
    }
    withExtendedLifetime(released) {}
  }

  /// Cancels every observer, when the list is no longer being read, so that each lets go of its
  /// captures.
  func cancelAll() {
    var observers = waiting.map(\.observer)
    forEach { observers.append($0.observer) }
    for observer in observers { observer.cancel() }
  }

  /// Refuses slots from now on, and ends the connections, each when what was sent is delivered.
  ///
  /// Others may be looking, and a slot may do this: one that is given what is kept does not hold
  /// the emitter. Emissions in progress keep what they read until they leave.
  @usableFromInline
  func finish() {
    let (all, _) = ledger.withLock { ledger -> (AllSlots?, AnyObject?) in
      ledger.isFinished = true
      if ledger.buffer == nil { return (nil, nil) }
      let all = AllSlots(buffer: ledger.buffer, slots: ledger.takeAll())
      live.store(0, ordering: .releasing)
      unsafe published.store(nil, ordering: .releasing)
      // Born after its death in a circle of generations: visible in every one of them.
      let birth = entrances.load(ordering: .relaxed).generation &+ 1
      return unsafe (all, discard(all, birth: birth, &ledger) { _, _ in true })
    }
    for slot in all?.slots ?? [] { slot.finish() }
  }

  // MARK: - Looking

  /// Calls `body` with every slot, in order, as an emission would.
  func forEach(_ body: (Slot) -> Void) {
    guard let snapshot = unsafe enter() else { return }
    for index in unsafe 0..<snapshot.count {
      // By rule 3, also if `body` removes it.
      unsafe snapshot[index]?._withUnsafeGuaranteedRef { body($0) }
    }
    unsafe leave(snapshot)
  }

  /// The slots that wait to be attached: asked before the list is looked at, each is found here or
  /// there.
  private var waiting: [Slot] { ledger.withLock { $0.waiting } }

  /// Ends the connections of one target.
  func cancelAll(of target: AnyObject) {
    for slot in waiting where slot.target === target { slot.observer.cancel() }
    forEach { if $0.target === target { $0.observer.cancel() } }
  }

  /// Ends the connection of `observer` if its target is gone.
  func endIfTargetIsGone(_ observer: SignalObserver) {
    let (slot, mailbox) = ledger.withLock { ($0.slot(of: observer), observer.mailbox) }
    (slot ?? mailbox?.lastSlot)?.endIfTargetIsGone()
  }

  // MARK: - Under the lock

  /// Moves the slots to a new buffer without holes and with room to grow.
  ///
  /// Returns the old one, to be released after the lock.
  private func move(_ ledger: inout Ledger) -> AnyObject? {
    let old = ledger.buffer
    ledger.move(generation: entrances.load(ordering: .relaxed).generation)
    unsafe published.store(
      ledger.buffer.map { unsafe Unmanaged.passUnretained($0) }, ordering: .releasing)
    guard let old else { return nil }
    return unsafe discard(old, birth: old.birth, &ledger) { emission, _ in
      unsafe emission.snapshot.reads(old)
    }
  }

  /// Rule 3 for `object`, which nobody can find any more: returns it if it may be released at once
  /// (after the lock), else keeps it and begins the next generation.
  ///
  /// `isHolding` says whether an emission of this thread holds it; it is given the current buffer.
  private func discard(
    _ object: AnyObject, birth: UInt32, _ ledger: inout Ledger,
    isHolding: (Emission, SlotBuffer?) -> Bool
  ) -> AnyObject? {
    let now = look()
    let life = Ledger.Life(birth: birth, death: now.generation)
    if now.inside == 0, !ledger.isVisible(life) {
      plainEnd(object, "what was taken out")
      return object
    }
    let inProgress = now.inside + ledger.insidePast
    let buffer = ledger.buffer
    if unsafe Emission.canRelease(
      identity, inProgress: inProgress, isHolding: { unsafe isHolding($0, buffer) })
    {
      return object
    }
    hasPast.store(true, ordering: .relaxed)
    let before = entrances.exchange(
      UInt64(now.generation &+ 1) << 32, ordering: .acquiringAndReleasing)
    // Those that were inside may have left since; then nobody would be left to release it later.
    if before.inside == 0, !ledger.isVisible(life) {
      hasPast.store(!ledger.past.isEmpty, ordering: .relaxed)
      plainEnd(object, "what was taken out")
      return object
    }
    ledger.retire(object, life, emissionsInside: before.inside)
    return nil
  }

  /// Who is inside of the current generation.
  ///
  /// A write, so that every emission that is not counted comes after it and finds what was taken
  /// out gone.
  private func look() -> UInt64 {
    entrances.wrappingAdd(0, ordering: .acquiringAndReleasing).newValue
  }
}

extension UInt64 {
  fileprivate var generation: UInt32 { UInt32(truncatingIfNeeded: self >> 32) }
  fileprivate var inside: Int { Int(UInt32(truncatingIfNeeded: self)) }
}

/// A buffer and the slots in it, taken out together.
private final class AllSlots: Sendable {
  let buffer: SlotBuffer?
  let slots: [Slot]

  init(buffer: SlotBuffer?, slots: [Slot]) {
    self.buffer = buffer
    self.slots = slots
    plainBegin(self, "the slots of a list")
  }
}

/// What the lock of a ``SlotList`` guards, as a value: it calls nobody, and hands out what must be
/// released after the lock.
private struct Ledger {
  /// A generation that emissions are still inside of although a later one has begun.
  struct Past {
    let generation: UInt32
    var inside: Int
  }

  /// The generations whose emissions may be looking at something that was taken out.
  struct Life {
    let birth: UInt32
    let death: UInt32

    /// Distances, so that the generation may wrap around.
    func isVisible(in generation: UInt32) -> Bool { generation &- birth <= death &- birth }
  }

  enum Appended {
    case done
    case full
    case finished
  }

  /// Owns the buffer; the slots in it are owned by the list, once each.
  var buffer: SlotBuffer?
  var holes = 0
  var past: [Past] = []
  var retired: [(object: AnyObject, life: Life)] = []
  var isFinished = false
  /// Slots that were made and not attached yet.
  var waiting: [Slot] = []

  /// One hole for four slots: moving costs each removal four steps at most, and an emission a
  /// quarter of a step per slot.
  var hasManyHoles: Bool {
    guard let buffer else { return false }
    return holes > 8 && holes * 5 > buffer.count
  }

  mutating func append(_ slot: Slot, generation: UInt32) -> Appended {
    if isFinished { return .finished }
    guard let buffer, buffer.count < buffer.capacity else { return .full }
    slot.birth = generation
    slot.observer.position = unsafe buffer.append(Unmanaged.passRetained(slot))
    return .done
  }

  /// Releases nothing: whoever attaches `slot` holds it.
  mutating func endWaiting(_ slot: Slot) {
    if let index = waiting.firstIndex(where: { $0 === slot }) { waiting.remove(at: index) }
  }

  func slot(of observer: SignalObserver) -> Slot? {
    guard let buffer, let position = observer.position else { return nil }
    return unsafe buffer[position]?.takeUnretainedValue()
  }

  /// Takes the slot of `observer` out of the buffer, with the list's reference to it.
  mutating func take(_ observer: SignalObserver) -> Slot? {
    guard let buffer, let position = observer.position, let slot = unsafe buffer[position] else {
      return nil
    }
    buffer.clear(position)
    observer.position = nil
    holes += 1
    return unsafe slot.takeRetainedValue()
  }

  mutating func takeAll() -> [Slot] {
    guard let buffer = buffer.take() else { return [] }
    var slots: [Slot] = []
    slots.reserveCapacity(buffer.count - holes)
    for index in 0..<buffer.count {
      guard let slot = unsafe buffer[index]?.takeRetainedValue() else { continue }
      slot.observer.position = nil
      slots.append(slot)
    }
    holes = 0
    return slots
  }

  mutating func move(generation: UInt32) {
    let count = (buffer?.count ?? 0) - holes
    let next = SlotBuffer(capacity: max(4, count * 2), birth: generation)
    if let buffer {
      for index in 0..<buffer.count {
        guard let slot = unsafe buffer[index] else { continue }
        let position = unsafe next.append(slot)
        unsafe slot._withUnsafeGuaranteedRef { $0.observer.position = position }
      }
    }
    buffer = next
    holes = 0
  }

  var insidePast: Int { past.reduce(0) { $0 + $1.inside } }

  func isVisible(_ life: Life) -> Bool {
    past.contains { life.isVisible(in: $0.generation) }
  }

  mutating func retire(_ object: AnyObject, _ life: Life, emissionsInside inside: Int) {
    if inside > 0 { past.append(Past(generation: life.death, inside: inside)) }
    retired.append((object, life))
  }

  /// One emission of `generation`, which is over, leaves.
  ///
  /// Returns what nobody can see any more.
  mutating func leave(_ generation: UInt32) -> [(object: AnyObject, life: Life)] {
    guard let index = past.firstIndex(where: { $0.generation == generation }) else { return [] }
    past[index].inside -= 1
    guard past[index].inside == 0 else { return [] }
    past.remove(at: index)
    let partition = retired.partition { [past] entry in
      !past.contains { entry.life.isVisible(in: $0.generation) }
    }
    defer { retired.removeSubrange(partition...) }
    return Array(retired[partition...])
  }
}
