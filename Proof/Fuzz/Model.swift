/// What the library should do, written with arrays and indices.
final class Model: World {
  private struct Slot {
    let signal: Int
    let target: Int?
    let queue: Int?
    var isEnded = false
    var isSuspended = false
  }

  /// A payload that waits for a queue.
  private struct Entry {
    let slot: Int
    /// The payload; nil if the slot ends here, because its emitter has died.
    let value: Int?
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
  /// Every target since the beginning.
  private var targets: [Target] = []
  /// The target that has a number now.
  private var current: [Int?] = Array(repeating: nil, count: Limits.targets)
  /// The payloads that wait for each queue, in the order of emission.
  private var queues: [[Entry]] = Array(repeating: [], count: Limits.queues)
  private var isDraining = Array(repeating: false, count: Limits.queues)
  /// The emissions in progress on the current thread, the outermost first.
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
      payloads: Set(queues.flatMap { $0.compactMap(\.value) }).count)
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
    // Later slots first get what outer emissions owe them.
    while let owing = emissions.first(where: { $0.signal == signal && !$0.slots.isEmpty }) {
      deliverNext(of: owing)
    }
    emissions.removeLast()
    emissionsOnAllThreads[signal] -= 1
    finishIfDropped(signal)
  }

  func drain(_ queue: Int) {
    // The drain has a thread of its own.
    let outside = emissions
    emissions = []
    isDraining[queue] = true
    while !queues[queue].isEmpty {
      let entry = queues[queue].removeFirst()
      guard let value = entry.value else {
        end(entry.slot)
        continue
      }
      if !slots[entry.slot].isSuspended { call(entry.slot, value) }
    }
    isDraining[queue] = false
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
    if let queue = slots[slot].queue { queues[queue].removeAll { $0.slot == slot } }
  }

  private func deliverNext(of emission: Emission) {
    let slot = emission.slots.removeFirst()
    guard !slots[slot].isEnded, !slots[slot].isSuspended else { return }
    guard let queue = slots[slot].queue else { return call(slot, emission.value) }
    // If a drain is at work, it finds the dead target.
    if !isDraining[queue], isTargetDead(slot) { return end(slot) }
    queues[queue].append(Entry(slot: slot, value: emission.value))
  }

  private func call(_ slot: Int, _ value: Int) {
    if isTargetDead(slot) { return end(slot) }
    if let target = slots[slot].target { targets[target].calls += 1 }
    onDelivery(slot, value)
    if let target = slots[slot].target { targets[target].calls -= 1 }
  }

  private func finishIfDropped(_ signal: Int) {
    guard isDropped[signal], emissionsOnAllThreads[signal] == 0, !isDestroyed[signal] else {
      return
    }
    isDestroyed[signal] = true
    for slot in slots.indices where slots[slot].signal == signal {
      if slots[slot].isEnded { continue }
      if let queue = slots[slot].queue, queues[queue].contains(where: { $0.slot == slot }) {
        queues[queue].append(Entry(slot: slot, value: nil))
      } else {
        end(slot)
      }
    }
  }
}
