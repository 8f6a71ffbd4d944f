/// What the library should do, by arrays and indices.
final class Model: World {
  private struct Slot {
    let signal: Int
    let target: Int?
    let queue: Int?
    var isEnded = false
    var isSuspended = false
    /// Deliveries on their way, and older ones that a drain has put back.
    var pending: [Int] = []
    var putBack: [Int] = []
    var isScheduled = false
    /// Whether a drain is delivering what it took.
    var isInBatch = false
    var endsWhenEmpty = false

    var isBusy: Bool { isInBatch || !pending.isEmpty || !putBack.isEmpty }
  }

  private struct Target {
    var isKilled = false
    var calls = 0
    var isDead: Bool { isKilled && calls == 0 }
  }

  private final class Emission {
    let signal: Int
    let value: Int
    var slots: ArraySlice<Int>

    init(_ signal: Int, _ value: Int, _ slots: [Int]) {
      self.signal = signal
      self.value = value
      self.slots = slots[...]
    }
  }

  var onDelivery: (Int, Int) -> Void = { _, _ in }
  private var slots: [Slot] = []
  /// Every target that there ever was.
  private var targets: [Target] = []
  /// The one that goes by a number now.
  private var current: [Int?] = Array(repeating: nil, count: Limits.targets)
  /// The slots whose drains are on their way.
  private var queues: [[Int]] = Array(repeating: [], count: Limits.queues)
  /// The emissions in progress on the current thread, from the outermost inwards.
  private var emissions: [Emission] = []
  private var emissionsOnAllThreads = Array(repeating: 0, count: Limits.signals)
  private var isDropped = Array(repeating: false, count: Limits.signals)
  private var isDestroyed = Array(repeating: false, count: Limits.signals)

  var state: WorldState {
    for slot in slots.indices where isTargetDead(slot) { end(slot) }
    let live = slots.filter { !$0.isEnded }
    return WorldState(
      slotCounts: (0..<Limits.signals).map { signal in
        isDestroyed[signal] ? 0 : live.count { $0.signal == signal }
      },
      cancelled: slots.map(\.isEnded),
      suspended: slots.map { $0.isSuspended && !$0.isEnded }, captures: live.count,
      payloads: Set(live.flatMap { $0.pending + $0.putBack }).count)
  }

  func connect(signal: Int, target: Int?, queue: Int?) {
    let target = target.map { number in
      if let index = current[number] { return index }
      targets.append(Target())
      current[number] = targets.count - 1
      return targets.count - 1
    }
    slots.append(Slot(signal: signal, target: target, queue: queue, isEnded: isDestroyed[signal]))
  }

  func cancel(_ slot: Int) { end(slot) }
  func suspend(_ slot: Int) { slots[slot].isSuspended = true }
  func resume(_ slot: Int) { slots[slot].isSuspended = false }

  func cancelAll(_ signal: Int) {
    if isDropped[signal] { return }
    for slot in slots.indices where slots[slot].signal == signal { end(slot) }
  }

  func emit(_ signal: Int, _ value: Int) {
    if isDropped[signal] { return }
    let live = slots.indices.filter { slots[$0].signal == signal && !slots[$0].isEnded }
    let emission = Emission(signal, value, live)
    emissionsOnAllThreads[signal] += 1
    emissions.append(emission)
    // What is owed to later slots goes first.
    while let owing = emissions.first(where: { $0.signal == signal && !$0.slots.isEmpty }) {
      deliverNext(of: owing)
    }
    emissions.removeLast()
    emissionsOnAllThreads[signal] -= 1
    finishIfDropped(signal)
  }

  func drain(_ queue: Int) {
    // On a thread of its own.
    let outside = emissions
    emissions = []
    while !queues[queue].isEmpty { drainSlot(queues[queue].removeFirst(), queue) }
    emissions = outside
  }

  func kill(_ target: Int) {
    if let index = current[target] { targets[index].isKilled = true }
    current[target] = nil
  }

  func destroyEmitter(_ signal: Int) {
    isDropped[signal] = true
    finishIfDropped(signal)
  }

  // MARK: - Inside

  private func isTargetDead(_ slot: Int) -> Bool {
    slots[slot].target.map { targets[$0].isDead } ?? false
  }

  private func end(_ slot: Int) {
    slots[slot].isEnded = true
    slots[slot].pending = []
    slots[slot].putBack = []
  }

  private func deliverNext(of emission: Emission) {
    let slot = emission.slots.removeFirst()
    guard !slots[slot].isEnded, !slots[slot].isSuspended else { return }
    guard let queue = slots[slot].queue else { return call(slot, emission.value) }
    slots[slot].pending.append(emission.value)
    if !slots[slot].isScheduled {
      slots[slot].isScheduled = true
      queues[queue].append(slot)
    }
  }

  private func call(_ slot: Int, _ value: Int) {
    if isTargetDead(slot) { return end(slot) }
    if let target = slots[slot].target { targets[target].calls += 1 }
    onDelivery(slot, value)
    if let target = slots[slot].target { targets[target].calls -= 1 }
  }

  private func drainSlot(_ slot: Int, _ queue: Int) {
    // What was put back is older, and a batch of its own.
    let isPutBack = !slots[slot].putBack.isEmpty
    var batch = (isPutBack ? slots[slot].putBack : slots[slot].pending)[...]
    if isPutBack { slots[slot].putBack = [] } else { slots[slot].pending = [] }
    let isBurst = batch.count > 1
    slots[slot].isInBatch = !batch.isEmpty
    var limit = 128
    while limit > 0, !slots[slot].isEnded, let value = batch.popFirst() {
      limit -= 1
      if !slots[slot].isSuspended { call(slot, value) }
    }
    slots[slot].isInBatch = false
    if slots[slot].isEnded { return }
    slots[slot].putBack = Array(batch)
    // After more than one, a drain comes back once more.
    if slots[slot].isBusy || isBurst && !slots[slot].endsWhenEmpty {
      queues[queue].append(slot)
    } else {
      slots[slot].isScheduled = false
      if slots[slot].endsWhenEmpty { end(slot) }
    }
  }

  private func finishIfDropped(_ signal: Int) {
    guard isDropped[signal], emissionsOnAllThreads[signal] == 0, !isDestroyed[signal] else {
      return
    }
    isDestroyed[signal] = true
    for slot in slots.indices where slots[slot].signal == signal {
      slots[slot].endsWhenEmpty = true
      if !slots[slot].isBusy { end(slot) }
    }
  }
}
